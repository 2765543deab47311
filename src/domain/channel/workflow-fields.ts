// The fields of a workflow in the inputs of its resolvers.
import { z } from 'zod'
import { UnsubscribeScope } from '../../data/prisma/enums.ts'
import { jsonSchema } from '../../evaluation/json-schema.ts'
import { trimmedText } from '../../lib/validation.ts'
import { channelChoices } from './channel-choices.ts'

export const MAX_TAGS = 50
/** Maximum length of a description, in characters. */
export const MAX_DESCRIPTION = 1000

const identifier = z.string().regex(/^[a-zA-Z0-9_-]{1,255}$/, 'must be 1 to 255 letters, digits, "_" or "-"')
const name = trimmedText(255)
const description = trimmedText(MAX_DESCRIPTION).nullish().meta({
  description: 'What the workflow is for, for its editors. Null for none.',
})
const validatePayload = z.boolean().meta({
  description:
    'False if `payloadSchema` does not apply to triggers. Its `writeOnly` properties are secret in any case.',
})

/** The input schema of tags. Duplicates are removed, and the order is kept. */
export const tags = z
  .array(trimmedText(64))
  .max(MAX_TAGS)
  .transform((given) => [...new Set(given)])

/** The channel defaults of a workflow. */
const channelDefaults = channelChoices.meta({
  description: 'Channel defaults for subscribers without a preference. Channels not listed are on.',
})
const unsubscribe = z.enum(UnsubscribeScope).nullish().meta({
  description:
    'What the unsubscribe links of its emails turn off. Null for the default: `category` with a category, otherwise `workflow`. A critical workflow has none.',
})
const payloadSchema = jsonSchema.meta({
  description:
    'A JSON Schema (draft 2020-12 or draft-07) that validates the payload of triggers. Its defaults are added to the payload.',
})

/** Their schemas. `createWorkflow` says which of them may be absent. */
export const workflowInputs = {
  identifier,
  name,
  description,
  channels: channelDefaults,
  unsubscribe,
  payloadSchema,
  validatePayload,
}
