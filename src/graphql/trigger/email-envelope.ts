// The envelope of an email: its addresses, headers and parts.
import { type EmailEnvelope as Envelope, plainTextOf } from '../../domain/execution/email-envelope.ts'
import { EmailHeader } from '../email-step.ts'
import { builder } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { edge } from '../schema/query.ts'
import { fileFields } from './file-fields.ts'

type File = Envelope['attachments'][number]

const EmailFile = builder.objectRef<File>('EmailFile').implement({
  description: 'A file of an email.',
  fields: fileFields,
})

export const EmailEnvelope = builder.objectRef<Envelope>('EmailEnvelope').implement({
  description: 'An email as the provider gets it. Addresses may have a display name, as in `"Ada" <ada@example.com>`.',
  fields: (t) => ({
    from: t.exposeString('from', {
      nullable: true,
      description:
        'The sender: `from` and `senderName` of the step. What the step does not have is the current setting of the integration. Null if neither has an address.',
    }),
    to: t.exposeStringList('to', {
      description: 'The address of the recipient. Empty if the destination is not an email address.',
    }),
    cc: t.exposeStringList('cc', { description: 'The addresses that get a copy.' }),
    bcc: t.exposeStringList('bcc', { description: 'The addresses that get a copy that nobody else sees.' }),
    replyTo: t.exposeStringList('replyTo', { description: 'The addresses that replies go to.' }),
    headers: t.expose('headers', {
      type: t.listRef(EmailHeader),
      description: 'Further headers, including the headers of the thread.',
      complexity: usualLength(2),
    }),
    text: edge(t, {
      description: 'The plain text. Null if creating it from the HTML takes too long.',
      type: 'String',
      nullable: true,
      resolver: plainTextOf,
      known: ({ text }) => text ?? undefined,
      decode: ({ body }) => ({ body }),
    }),
    attachments: t.expose('attachments', {
      type: t.listRef(EmailFile),
      description: 'The files of the email.',
      complexity: usualLength(2),
    }),
    html: t.exposeString('html', { nullable: true, description: 'The HTML. Null if the email is plain text only.' }),
  }),
})
