// The buttons of the toolbar that ask nothing.
import {
  type Icon,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBlockquote,
  IconBold,
  IconH1,
  IconH2,
  IconH3,
  IconItalic,
  IconLineDashed,
  IconList,
  IconListNumbers,
} from '@tabler/icons-react'
import type { Editor } from '@tiptap/react'

interface Control {
  readonly label: string
  readonly icon: Icon
  readonly keys?: string
  readonly run: (editor: Editor) => unknown
  readonly isActive?: (editor: Editor) => boolean
  readonly isDisabled?: (editor: Editor) => boolean
}

const heading = (level: 1 | 2 | 3, icon: Icon): Control => ({
  label: `Heading ${level}`,
  icon,
  keys: `Control+Alt+${level}`,
  run: (editor) => editor.chain().focus().toggleHeading({ level }).run(),
  isActive: (editor) => editor.isActive('heading', { level }),
})

export const controls: readonly Control[] = [
  {
    label: 'Undo',
    icon: IconArrowBackUp,
    keys: 'Control+Z',
    run: (editor) => editor.chain().focus().undo().run(),
    isDisabled: (editor) => !editor.can().undo(),
  },
  {
    label: 'Redo',
    icon: IconArrowForwardUp,
    keys: 'Control+Shift+Z',
    run: (editor) => editor.chain().focus().redo().run(),
    isDisabled: (editor) => !editor.can().redo(),
  },
  heading(1, IconH1),
  heading(2, IconH2),
  heading(3, IconH3),
  {
    label: 'Bold',
    icon: IconBold,
    keys: 'Control+B',
    run: (editor) => editor.chain().focus().toggleBold().run(),
    isActive: (editor) => editor.isActive('bold'),
  },
  {
    label: 'Italic',
    icon: IconItalic,
    keys: 'Control+I',
    run: (editor) => editor.chain().focus().toggleItalic().run(),
    isActive: (editor) => editor.isActive('italic'),
  },
  {
    label: 'Bulleted list',
    icon: IconList,
    keys: 'Control+Shift+8',
    run: (editor) => editor.chain().focus().toggleBulletList().run(),
    isActive: (editor) => editor.isActive('bulletList'),
  },
  {
    label: 'Numbered list',
    icon: IconListNumbers,
    keys: 'Control+Shift+7',
    run: (editor) => editor.chain().focus().toggleOrderedList().run(),
    isActive: (editor) => editor.isActive('orderedList'),
  },
  {
    label: 'Quote',
    icon: IconBlockquote,
    keys: 'Control+Shift+B',
    run: (editor) => editor.chain().focus().toggleBlockquote().run(),
    isActive: (editor) => editor.isActive('blockquote'),
  },
  {
    label: 'Divider',
    icon: IconLineDashed,
    run: (editor) => editor.chain().focus().setHorizontalRule().run(),
  },
]
