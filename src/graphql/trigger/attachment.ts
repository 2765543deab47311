// Attachments: files of emails, as objects and as the input of triggers.
import { type Disposition, MAX_ATTACHMENT_BYTES, MAX_FETCHED_BYTES } from '../../domain/channel/attachment-file.ts'
import {
  attachment,
  type Attachment as Row,
  attachmentsOf,
  type SizedAttachment,
  uploadAttachment,
} from '../../domain/trigger/attachment.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { mutationField } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { edge, queryField } from '../schema/query.ts'
import { byDefault, createdAt } from '../schema/wording.ts'
import { Event } from './event.ts'
import { fileFields } from './file-fields.ts'

const AttachmentDisposition = builder.enumType('AttachmentDisposition', {
  description: 'How an email shows a file.',
  values: {
    ATTACHMENT: { value: 'attachment', description: 'Beside the text.' },
    INLINE: { value: 'inline', description: 'In the text, which refers to it by its content id.' },
  } as const satisfies Record<string, { value: Disposition; description: string }>,
})

const Attachment = builder.objectRef<Row>('Attachment')
defineNode(Attachment, {
  description:
    'A file that triggers can attach to emails. Identical files share one attachment in each environment. It is deleted with the last event that uses it, or a day after its upload if no trigger uses it.',
  resolver: attachment,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the file in its last upload.' }),
    contentType: t.exposeString('contentType', { description: 'The media type in its last upload.' }),
    size: t.exposeInt('size', { description: 'The size in bytes.' }),
    sha256: t.string({
      description: 'The SHA-256 hash of the bytes, in hexadecimal.',
      resolve: ({ sha256 }) => sha256 ?? '',
    }),
    downloadPath: t.string({
      description: 'The path of the REST API that returns the bytes.',
      resolve: ({ id }) => `/v1/attachments/${id}`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('attachment') }),
  }),
})

queryField('attachment', {
  description: 'Finds an attachment by its node id. Null if it does not exist.',
  type: Attachment,
  nullable: true,
  args: (t) => ({ id: t.id({ required: true, description: 'The node id of the attachment.' }) }),
  resolver: attachment,
  decode: ({ id }) => ({ id: rowIdOf(Attachment, id, 'id') }),
})

const EventAttachment = builder.objectRef<SizedAttachment>('EventAttachment').implement({
  description: 'A file of the emails of an event.',
  fields: (t) => ({
    ...fileFields(t),
    contentId: t.exposeString('contentId', {
      nullable: true,
      description: 'The id by which the HTML of the email refers to the file. Null if it has none.',
    }),
    disposition: t.field({
      type: AttachmentDisposition,
      description: 'How the email shows the file.',
      resolve: ({ isInline }) => (isInline ? 'inline' : 'attachment'),
    }),
    url: t.exposeString('url', { nullable: true, description: 'The URL of the file. Null if the trigger has none.' }),
    attachment: edge(t, {
      description: 'The stored file. Null if it is at a URL that has not been fetched yet.',
      type: Attachment,
      nullable: true,
      resolver: attachment,
      decode: ({ attachmentId }) => (attachmentId === null ? null : { id: attachmentId }),
    }),
  }),
})

builder.objectField(Event, 'attachments', (t) =>
  edge(t, {
    description: 'The files of the emails, in the order of the trigger.',
    type: [EventAttachment],
    resolver: attachmentsOf,
    decode: ({ id, attachmentCount }) => ({ eventId: id, attachmentCount }),
  }),
)

const shared = (t: InputFields) => ({
  contentId: t.string({
    description:
      'The id by which the HTML of the email refers to the file, as in `<img src="cid:logo">`: 1 to 255 letters, digits, `.`, `_`, `%`, `+`, `@` or `-`.',
  }),
  disposition: t.field({
    type: AttachmentDisposition,
    description: `How the email shows the file. ${byDefault('`ATTACHMENT`')}`,
  }),
})

const nameOf = 'The name of the file: 1 to 255 characters, without `/`, `\\` and control characters.'
const typeOf = 'The media type, such as `application/pdf`.'

const UploadedAttachmentInput = builder.inputType('UploadedAttachmentInput', {
  description: 'A file that was uploaded before.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The node id of the attachment.' }),
    name: t.string({ description: `${nameOf} ${byDefault('the name of its upload')}` }),
    contentType: t.string({ description: `${typeOf} ${byDefault('the type of its upload')}` }),
    ...shared(t),
  }),
})

const UrlAttachmentInput = builder.inputType('UrlAttachmentInput', {
  description: `A file at a URL: at most ${MAX_FETCHED_BYTES} bytes. It is fetched at the first attempt to send it, and kept for all further ones.`,
  fields: (t) => ({
    url: t.string({ required: true, description: 'An absolute http or https URL with a public address.' }),
    name: t.string({ description: `${nameOf} ${byDefault('the last part of the path of the URL')}` }),
    contentType: t.string({ description: `${typeOf} ${byDefault("the type in the server's response")}` }),
    ...shared(t),
  }),
})

const ContentAttachmentInput = builder.inputType('ContentAttachmentInput', {
  description: 'A file in the trigger itself.',
  fields: (t) => ({
    data: t.string({ required: true, description: 'The bytes in base64.' }),
    name: t.string({ required: true, description: nameOf }),
    contentType: t.string({ description: `${typeOf} ${byDefault('application/octet-stream')}` }),
    ...shared(t),
  }),
})

export const AttachmentInput = builder.inputType('AttachmentInput', {
  description: `A file of the emails of a trigger. All files of a trigger together have at most ${MAX_ATTACHMENT_BYTES} bytes.`,
  isOneOf: true,
  fields: (t) => ({
    uploaded: t.field({ type: UploadedAttachmentInput, description: 'A file that was uploaded before.' }),
    url: t.field({ type: UrlAttachmentInput, description: 'A file at a URL.' }),
    content: t.field({ type: ContentAttachmentInput, description: 'A file in the trigger itself.' }),
  }),
})

type Given = readonly (typeof AttachmentInput.$inferInput)[] | null | undefined

/** Replaces the node ids of attachments by the ids of their rows. */
export const readAttachments = (given: Given, at: readonly (string | number)[]) =>
  given?.map((one, index) => {
    if (one.uploaded === undefined) return one
    const { uploaded } = one
    const path = [...at, 'attachments', index, 'uploaded', 'id'].join('.')
    return { uploaded: { ...uploaded, id: rowIdOf(Attachment, uploaded.id, path) } }
  })

mutationField('uploadAttachment', {
  description:
    'Uploads a file for later triggers. `POST /v1/attachments` of the REST API takes larger files, and without base64.',
  input: (t) => ({
    name: t.string({ required: true, description: nameOf }),
    contentType: t.string({ description: `${typeOf} ${byDefault('application/octet-stream')}` }),
    content: t.string({ required: true, description: 'The bytes in base64.' }),
  }),
  resolver: uploadAttachment,
  decode: ({ name, contentType, content }) => ({ name, contentType, bytes: content }),
  locate: (path) => (path[0] === 'bytes' ? ['content'] : path),
  payload: { attachment: Attachment },
})
