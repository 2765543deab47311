// The rich-text editor of HTML: TipTap, with a toolbar. Loaded on demand.
import { Paper } from '@mantine/core'
import { EditorContent, useEditor } from '@tiptap/react'
import { useEffect, useRef } from 'react'
import { nonce } from '../nonce.ts'
import { extensions } from './extensions.ts'
import { readHtml } from './read-html.ts'
import styles from './rich-text.module.css'
import { Toolbar } from './toolbar.tsx'
import { writeHtml } from './write-html.ts'

/** Markdown at the start of a line. Other shorthands could change what is typed as Liquid. */
const shorthands = ['heading', 'bulletList', 'orderedList', 'blockquote', 'horizontalRule']

interface RichTextEditorProps {
  /** HTML that the editor can represent. */
  readonly value: string
  readonly onChange: (html: string) => void
  /** The ids of the elements that name and describe the field. */
  readonly labelledBy: string
  readonly describedBy: string | undefined
  readonly invalid: boolean
  /** The variables to insert, such as `payload.order.id`. */
  readonly variables: readonly string[]
}

export function RichTextEditor({ value, onChange, labelledBy, describedBy, invalid, variables }: RichTextEditorProps) {
  /** The HTML that the editor shows. */
  const shown = useRef(value)
  const editor = useEditor({
    extensions,
    content: readHtml(value).document,
    ...(nonce === undefined ? {} : { injectNonce: nonce }),
    enableInputRules: shorthands,
    enablePasteRules: false,
    editorProps: {
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-labelledby': labelledBy,
        'aria-required': 'true',
        ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        ...(invalid ? { 'aria-invalid': 'true' } : {}),
      },
    },
    onUpdate({ editor: changed }) {
      shown.current = writeHtml(changed.getJSON())
      onChange(shown.current)
    },
  })
  // Somebody may load another version, discard the changes or undo a removal.
  useEffect(() => {
    if (value === shown.current) return
    shown.current = value
    editor.commands.setContent(readHtml(value).document, { emitUpdate: false })
  }, [editor, value])
  return (
    <Paper withBorder mt={5} className={styles['field']} data-invalid={invalid || undefined}>
      <Toolbar editor={editor} variables={variables} />
      <EditorContent editor={editor} className={styles['content']} />
    </Paper>
  )
}
