// The field with which someone chooses the CSV file of an import.
import { FileInput, Paper, Stack, Text } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { ProblemAlert } from '../problem-alert.tsx'

interface FileChoiceProps {
  /** The columns of the file, in a sentence. */
  readonly columns: string
  /** What the import does, in sentences. */
  readonly note?: string
  /** Why the last file cannot be imported. */
  readonly error: string | undefined
  readonly onChoose: (file: File) => void
}

export const FileChoice = ({ columns, note, error, onChoose }: FileChoiceProps) => (
  <Paper withBorder p="md">
    <Stack>
      <FileInput
        label="CSV file"
        description={`UTF-8, at most 200 MiB. ${columns}`}
        placeholder="Choose a file"
        accept=".csv,text/csv"
        leftSection={<IconFileImport size={16} aria-hidden />}
        onChange={(file) => file !== null && onChoose(file)}
      />
      {note !== undefined && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      {error !== undefined && <ProblemAlert problem={{ message: error }} />}
    </Stack>
  </Paper>
)
