// What an environment does with messages, in the graph.
import { MAX_ALLOWED } from '../../domain/access/sending.ts'
import type { SendingMode as Mode } from '../../data/prisma/enums.ts'
import { builder, type InputFields } from '../schema/builder.ts'

export const SendingMode = builder.enumType('SendingMode', {
  description: 'What an environment does with messages of all channels except in-app, which never leave the gateway.',
  values: {
    LIVE: { value: 'live', description: 'Sends them.' },
    CAPTURE: {
      value: 'capture',
      description:
        'Records them as sent without sending: no provider is called, and no integration is needed. Addresses such as `reject@sandbox.invalid` simulate failures.',
    },
    REDIRECT: {
      value: 'redirect',
      description:
        'Sends messages to `allowedDestinations` as `LIVE` does, and all others to `redirectTo`. Captures messages that cannot be redirected.',
    },
  } as const,
})

/** The fields of an input that say what happens to messages. @param standard the meaning of null. */
export const sendingFields = (t: InputFields, standard: { readonly sending: string; readonly allowed: string }) => ({
  sending: t.field({ type: SendingMode, description: `What happens to messages. ${standard.sending}` }),
  redirectTo: t.string({
    description:
      'The email address or phone number that receives redirected messages. Null captures them instead. Messages that it cannot receive are captured, too.',
  }),
  allowedDestinations: t.stringList({
    description: `The destinations to which \`REDIRECT\` sends: at most ${MAX_ALLOWED} email addresses, domains such as \`*@example.com\`, and phone numbers or prefixes, such as \`+49\`. ${standard.allowed}`,
  }),
})

interface GivenSending {
  readonly sending?: Mode | null | undefined
  readonly allowedDestinations?: string[] | null | undefined
}

/** Null is the same as absent, except for `redirectTo`. */
export const readSending = ({ sending, allowedDestinations }: GivenSending) => ({
  sending: sending ?? undefined,
  allowedDestinations: allowedDestinations ?? undefined,
})
