// Fields and values of the client that the gateway cannot apply. They are refused, never ignored.
import { z } from 'zod'

/** A field that must be absent or null. @param reason what a caller can do instead, or why it is not supported. */
export const unsupported = (reason: string) => z.null({ error: `is not supported: ${reason}` }).optional()
