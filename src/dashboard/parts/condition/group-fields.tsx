// A group of a condition: comparisons and further groups, all or any of which must be true.
import { ActionIcon, Button, Code, Group as Row, NativeSelect, Paper, Stack } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { ComparisonFields } from './comparison-fields.tsx'
import { type Group, isGroup, isOther, type Item, newComparison, type Path } from './condition.ts'

/** Groups in groups in groups are readable. Deeper ones are shown, and can be added as JSON logic. */
const MAX_DEPTH = 3

const kinds = [
  { value: 'all', label: 'All of these are true' },
  { value: 'any', label: 'Any of these is true' },
]

interface GroupFieldsProps {
  readonly group: Group
  /** The position of the group. Empty for the outermost one. */
  readonly path: Path
  readonly variables: readonly string[]
  readonly onChange: (path: Path, item: Item) => void
  readonly onRemove: (path: Path) => void
}

export function GroupFields({ group, path, ...common }: GroupFieldsProps) {
  const { match, items } = group
  const change = (changed: Partial<Group>) => common.onChange(path, { ...group, ...changed })
  const add = (item: Item) => change({ items: [...items, item] })
  return (
    <Stack gap="xs">
      {(items.length > 1 || path.length > 0) && (
        <NativeSelect
          aria-label="How comparisons combine"
          size="xs"
          w={200}
          data={kinds}
          value={match}
          onChange={({ currentTarget }) => change({ match: currentTarget.value === 'any' ? 'any' : 'all' })}
        />
      )}
      {items.map((item, index) => (
        <Row key={`${index} of ${items.length}`} gap="xs" wrap="nowrap" align="flex-start">
          <ItemFields item={item} path={[...path, index]} {...common} />
          <ActionIcon
            variant="subtle"
            color="gray"
            mt={4}
            aria-label={isGroup(item) ? 'Remove group' : 'Remove comparison'}
            // The outermost group keeps an item. Without a condition, the choice is Always.
            disabled={path.length === 0 && items.length === 1}
            onClick={() => common.onRemove([...path, index])}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Row>
      ))}
      <Row gap="xs">
        <AddButton label="Add comparison" onClick={() => add(newComparison)} />
        {path.length < MAX_DEPTH - 1 && (
          <AddButton
            label="Add group"
            onClick={() => add({ match: match === 'all' ? 'any' : 'all', items: [newComparison] })}
          />
        )}
      </Row>
    </Stack>
  )
}

interface ItemFieldsProps extends Omit<GroupFieldsProps, 'group'> {
  readonly item: Item
}

function ItemFields({ item, path, ...common }: ItemFieldsProps) {
  if (isGroup(item)) {
    return (
      <Paper withBorder p="xs" flex={1} miw={0} role="group" aria-label="Group">
        <GroupFields group={item} path={path} {...common} />
      </Paper>
    )
  }
  if (isOther(item)) {
    return (
      <Code block flex={1} miw={0} className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {JSON.stringify(item.rule)}
      </Code>
    )
  }
  return (
    <ComparisonFields
      comparison={item}
      variables={common.variables}
      onChange={(changed) => common.onChange(path, changed)}
    />
  )
}

const AddButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <Button variant="default" size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={onClick}>
    {label}
  </Button>
)
