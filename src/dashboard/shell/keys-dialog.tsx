// The dialog that lists the keys.
import { Kbd, Modal, Table } from '@mantine/core'
import { Fragment } from 'react'
import { commandKey } from './shortcuts.ts'

const keys: readonly { readonly keys: readonly string[]; readonly does: string }[] = [
  { keys: [commandKey, 'K'], does: 'Find pages, people, workflows, events, topics and integrations' },
  { keys: ['/'], does: 'Go to the search or the filters of the page' },
  { keys: ['←', '→'], does: 'Go to the other links and buttons of a row in a list' },
  { keys: ['↑', '↓'], does: 'Go to the row above or below' },
  { keys: [commandKey, 'Z'], does: 'Bring back what was removed last' },
  { keys: ['Esc'], does: 'Close a dialog' },
  { keys: ['?'], does: 'Show these keys' },
]

export const KeysDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Keys">
    <Table aria-label="Keys" withRowBorders={false}>
      <Table.Tbody>
        {keys.map(({ keys, does }) => (
          <Table.Tr key={does}>
            <Table.Th scope="row" style={{ whiteSpace: 'nowrap' }}>
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && ' '}
                  <Kbd>{key}</Kbd>
                </Fragment>
              ))}
            </Table.Th>
            <Table.Td>{does}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Modal>
)
