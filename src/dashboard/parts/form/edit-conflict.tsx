// The question after somebody else has saved what someone is editing: which of the two versions stays.
import { Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core'

/** A field with two values, as text. */
export interface Difference {
  readonly label: string
  readonly theirs: string
  readonly mine: string
}

/** The values of a form as a comparison shows them. */
export type Shown<Values> = { readonly [Name in keyof Values]: unknown }

/** Returns the fields whose values differ. Values are compared and shown as text. */
export const differencesOf = <Values extends object>(
  labels: Readonly<Partial<Record<keyof Values & string, string>>>,
  theirs: Shown<Values>,
  mine: Shown<Values>,
): readonly Difference[] => {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  const names = Object.keys(labels) as (keyof Values & string)[]
  return names
    .map((name) => ({ label: labels[name] ?? name, theirs: textOf(theirs[name]), mine: textOf(mine[name]) }))
    .filter((one) => one.theirs !== one.mine)
}

interface EditConflictProps {
  /** What was saved, such as `workflow welcome`. */
  readonly what: string
  readonly differences: readonly Difference[]
  readonly pending: boolean
  readonly onLoad: () => void
  readonly onOverwrite: () => void
  /** Called to continue editing. Nothing is saved, and nothing is lost. */
  readonly onClose: () => void
}

const Value = ({ children }: { readonly children: string }) =>
  children === '' ? (
    <Text span c="dimmed" size="sm">
      empty
    </Text>
  ) : (
    <Code block tabIndex={0} mah={300} style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {children}
    </Code>
  )

export function EditConflict({ what, differences, pending, onLoad, onOverwrite, onClose }: EditConflictProps) {
  return (
    <Modal opened onClose={onClose} title="Somebody else saved meanwhile" size="xl">
      <Stack>
        <Text size="sm">
          The {what} has changed since you opened it. Your changes are not saved, and stay in the form until you choose.
        </Text>
        {differences.length === 0 ? (
          <Text size="sm">Both versions have the same values in this form.</Text>
        ) : (
          <Table aria-label="Fields that differ" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w="20%">Field</Table.Th>
                <Table.Th>Saved by somebody else</Table.Th>
                <Table.Th>Yours</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {differences.map(({ label, theirs, mine }) => (
                <Table.Tr key={label} style={{ verticalAlign: 'top' }}>
                  <Table.Th scope="row">{label}</Table.Th>
                  <Table.Td>
                    <Value>{theirs}</Value>
                  </Table.Td>
                  <Table.Td>
                    <Value>{mine}</Value>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep editing
          </Button>
          <Button variant="default" onClick={onLoad}>
            Load theirs
          </Button>
          <Button color="red.9" loading={pending} onClick={onOverwrite}>
            Overwrite with mine
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
