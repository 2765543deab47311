// The fields of a file, in an email or in a trigger.
import type { AttachedFile } from '../../domain/channel/attachment-file.ts'
import type { ObjectFields } from '../schema/builder.ts'

type File = Pick<AttachedFile, 'name' | 'contentType' | 'size'>

/** What every file has. */
export const fileFields = (t: ObjectFields<File>) => ({
  name: t.exposeString('name', { description: 'The name of the file.' }),
  contentType: t.exposeString('contentType', {
    nullable: true,
    description: 'The media type. Null if the file is at a URL that has not been fetched yet.',
  }),
  size: t.exposeInt('size', {
    nullable: true,
    description: 'The size in bytes. Null if the file is at a URL that has not been fetched yet.',
  }),
})
