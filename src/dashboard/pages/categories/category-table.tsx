// The categories in their order, which can be changed with buttons and by dragging rows.
import { Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGripVertical } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { IconAct } from '../../parts/order/icon-act.tsx'
import { itemButton, useMovedFocus } from '../../parts/order/moved-focus.ts'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { type ListedCategory, useCategoryOrder } from './category-order.ts'
import classes from './category-table.module.css'
import { WorkflowCount } from './workflow-count.tsx'

/** A row that is dragged, and the row that it is over. */
interface Drag {
  readonly from: number
  readonly over: number
}

const lookOf = (index: number, drag: Drag | undefined) => {
  if (drag === undefined) return ''
  if (index === drag.from) return classes['dragged']
  if (index !== drag.over) return ''
  return drag.over < drag.from ? classes['above'] : classes['below']
}

export function CategoryTable({ stored }: { readonly stored: readonly ListedCategory[] }) {
  const canWrite = useCanWrite()
  const [categories, moveTo] = useCategoryOrder(stored)
  const [announcement, announce] = useState('')
  const [drag, setDrag] = useState<Drag>()
  const [body, focusOn] = useMovedFocus<HTMLTableSectionElement>(categories)
  const isOrderable = canWrite && categories.length > 1

  const move = (from: number, to: number) => {
    const category = categories[from]
    if (category === undefined || from === to) return
    moveTo(category.key, to)
    announce(`${category.name} is now number ${to + 1} of ${categories.length}.`)
  }
  const press = (from: number, to: number) => {
    const category = categories[from]
    if (category !== undefined) focusOn(category.key, to < from ? 'up' : 'down')
    move(from, to)
  }
  const start = (event: DragEvent<HTMLElement>, index: number) => {
    const row = event.currentTarget.closest('tr')
    if (row !== null) event.dataTransfer.setDragImage(row, 0, 0)
    event.dataTransfer.effectAllowed = 'move'
    // Some browsers drag nothing without data.
    event.dataTransfer.setData('text/plain', categories[index]?.name ?? '')
    setDrag({ from: index, over: index })
  }
  const dropTarget = (index: number) =>
    drag !== undefined && {
      onDragOver(event: DragEvent) {
        event.preventDefault()
        if (drag.over !== index) setDrag({ ...drag, over: index })
      },
      onDrop(event: DragEvent) {
        event.preventDefault()
        setDrag(undefined)
        move(drag.from, index)
      },
    }
  return (
    <>
      <VisuallyHidden aria-live="polite">{announcement}</VisuallyHidden>
      <Table.ScrollContainer minWidth={0} type="native" aria-label="Categories" role="region">
        <Table aria-label="Categories" highlightOnHover verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Workflows</Table.Th>
              {isOrderable && <Table.Th>Order</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody ref={body}>
            {categories.map((category, index) => (
              <Table.Tr key={category.id} className={lookOf(index, drag)} {...dropTarget(index)}>
                <Table.Td className="wrap-anywhere">
                  <CategoryName category={category} />
                </Table.Td>
                <Table.Td>
                  <WorkflowCount category={category} />
                </Table.Td>
                {isOrderable && (
                  <Table.Td w={1}>
                    <Group gap={0} wrap="nowrap">
                      <IconAct
                        label={`Move ${category.name} up`}
                        icon={IconArrowUp}
                        disabled={index === 0}
                        onClick={() => press(index, index - 1)}
                        {...itemButton(category.key, 'up')}
                      />
                      <IconAct
                        label={`Move ${category.name} down`}
                        icon={IconArrowDown}
                        disabled={index === categories.length - 1}
                        onClick={() => press(index, index + 1)}
                        {...itemButton(category.key, 'down')}
                      />
                      {/* The buttons do the same with the keyboard. */}
                      <span
                        className={classes['handle']}
                        title="Drag to another place"
                        aria-hidden
                        draggable
                        onDragStart={(event) => start(event, index)}
                        onDragEnd={() => setDrag(undefined)}
                      >
                        <IconGripVertical size={16} />
                      </span>
                    </Group>
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

function CategoryName({ category: { key, name, description, isHidden } }: { readonly category: ListedCategory }) {
  return (
    <>
      <Group gap="xs">
        <RowLink to={paths.category(key)}>{name}</RowLink>
        {isHidden && <StateBadge color="gray">Hidden</StateBadge>}
      </Group>
      <Text size="xs" c="dimmed">
        {key}
      </Text>
      {description !== null && (
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      )}
    </>
  )
}
