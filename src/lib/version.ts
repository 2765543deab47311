// The version of the gateway.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const file = path.join(import.meta.dirname, '../../package.json')

/** The version in package.json. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8')))
