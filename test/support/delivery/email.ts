// An email with every field that an email step can have, for the tests of email providers.
import type { Content } from '../../../src/domain/channel/content.ts'
import type { Message } from '../../../src/engine/message.ts'

const bytes = Buffer.from('%PDF-1.7')

const content: Content = {
  subject: 'Shipped',
  body: '<p>On its way.</p>',
  email: {
    from: { name: 'Ignored', address: 'orders@example.org' },
    senderName: 'Orders, Inc.',
    replyTo: [{ name: '', address: 'help@example.org' }],
    cc: [{ name: 'Bob', address: 'bob@example.org' }],
    bcc: [{ name: '', address: 'audit@example.org' }],
    headers: [{ name: 'X-Order', value: '42' }],
  },
}

export const emailWithEveryField: Pick<Message, 'content' | 'files'> = {
  content,
  files: [
    { name: 'invoice.pdf', contentType: 'application/pdf', bytes },
    { name: 'logo.png', contentType: 'image/png', bytes, contentId: 'logo', inline: true },
  ],
}

/** An email that some providers cannot send. */
export const twoReplies: Pick<Message, 'content'> = {
  content: {
    ...content,
    email: {
      replyTo: [
        { name: '', address: 'help@example.org' },
        { name: '', address: 'shop@example.org' },
      ],
    },
  },
}
