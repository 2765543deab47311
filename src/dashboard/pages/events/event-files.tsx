// The files of an event, with a button that downloads each.
import { Button, Group, Stack, Text } from '@mantine/core'
import { use } from 'react'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { download } from '../../parts/download.ts'
import { showFailure } from '../../parts/messages.ts'
import { CurrentSession } from '../../session/session-context.ts'
import { sessionOf } from '../../session/session.ts'

export const fileFields = graphql(`
  fragment FileFields on Event @_unmask {
    attachments {
      name
      contentType
      size
      url
      attachment {
        id
        downloadPath
      }
    }
  }
`)

type File = ResultOf<typeof fileFields>['attachments'][number]

const units = ['bytes', 'KiB', 'MiB'] as const

export function sizeInWords(bytes: number): string {
  const power = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power]}`
}

/** The name of a file, with its size if it is known. */
export const fileInWords = ({ name, size }: Pick<File, 'name' | 'size'>): string =>
  size === null ? `${name} (not fetched yet)` : `${name} (${sizeInWords(size)})`

/** Reads the bytes from the REST API, which serves them to every session that may read the event. */
async function save({ name, contentType }: File, path: string, authorization: string | undefined): Promise<void> {
  try {
    const answer = await fetch(`.${path}`, { headers: authorization === undefined ? {} : { authorization } })
    if (!answer.ok) throw new Error(`${name} was not downloaded: the gateway responded with ${answer.status}.`)
    download(name, contentType ?? 'application/octet-stream', await answer.blob())
  } catch (error) {
    showFailure(error)
  }
}

export function EventFiles({ files }: { readonly files: readonly File[] }) {
  const session = use(CurrentSession)
  return (
    <Stack gap="xs">
      {files.map((file, index) => (
        <Group key={index} gap="xs">
          <Text size="sm" className="wrap-anywhere">
            {fileInWords(file)}
          </Text>
          {file.attachment !== null && (
            <Button
              variant="subtle"
              size="compact-xs"
              aria-label={`Download ${file.name}`}
              onClick={() => {
                const { downloadPath } = file.attachment ?? {}
                const authorization = session && sessionOf(session.environmentId)?.authorization
                if (downloadPath !== undefined) void save(file, downloadPath, authorization)
              }}
            >
              Download
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  )
}
