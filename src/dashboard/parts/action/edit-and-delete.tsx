// The buttons on the page of one object that edit and delete it.
import { Button } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'

interface EditAndDeleteProps {
  readonly onEdit: () => void
  readonly onDelete: () => void
}

export const EditAndDelete = ({ onEdit, onDelete }: EditAndDeleteProps) => (
  <>
    <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={onEdit}>
      Edit
    </Button>
    <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={onDelete}>
      Delete
    </Button>
  </>
)
