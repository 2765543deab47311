// Routes of attachments: upload a file, and read its bytes.
import { z } from 'zod'
import { fileName, MAX_ATTACHMENT_BYTES, mediaType } from '../../domain/channel/attachment-file.ts'
import { attachment, type Attachment, openAttachment, uploadAttachment } from '../../domain/trigger/attachment.ts'
import { FileBody } from '../file-body.ts'
import { route } from '../route.ts'
import { found } from '../views.ts'

const attachmentView = z
  .object({
    _id: z.string(),
    name: z.string(),
    contentType: z.string(),
    size: z.int().meta({ description: 'Size in bytes.' }),
    sha256: z.string().meta({ description: 'SHA-256 hash of the bytes, in hexadecimal.' }),
  })
  .meta({ id: 'Attachment', description: 'A file that triggers can attach to emails.' })

const showAttachment = ({ id, name, contentType, size, sha256 }: Attachment): z.input<typeof attachmentView> => ({
  _id: id,
  name,
  contentType,
  size,
  sha256: sha256 ?? '',
})

const file = z.custom<{ readonly bytes: AsyncIterable<Uint8Array> }>()

export const attachmentRoutes = [
  route({
    method: 'post',
    path: '/v1/attachments',
    summary: 'Upload a file for later triggers; the body is its bytes, up to 20 MiB',
    query: z.object({
      name: fileName.meta({ description: 'Name of the file.' }),
      contentType: mediaType
        .optional()
        .meta({ description: 'Media type of the file. `application/octet-stream` by default.' }),
    }),
    body: file,
    takesFile: MAX_ATTACHMENT_BYTES,
    resolver: uploadAttachment,
    statuses: [201],
    response: attachmentView,
    view: showAttachment,
  }),
  route({
    method: 'get',
    path: '/v1/attachments/{id}',
    summary: 'Read the bytes of a file',
    params: z.object({ id: z.string().meta({ description: 'The `_id` of the attachment.' }) }),
    resolver: attachment,
    statuses: [200],
    returnsFile: true,
    response: z.unknown(),
    view: async (row, scope, { params }) => {
      const { id, name, contentType, size } = found(row, 'Attachment', params.id)
      return new FileBody({ name, contentType, size, pieces: await openAttachment(scope, { id }) })
    },
  }),
]
