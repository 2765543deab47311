// The control for a link: on the selected text, on new text, or the link at the cursor.
import { IconLink } from '@tabler/icons-react'
import { type Editor, useEditorState } from '@tiptap/react'
import { linkAddressError } from './address.ts'
import { ControlForm } from './control-form.tsx'
import { PopoverControl } from './popover-control.tsx'
import { textAttribute } from './rich-document.ts'

const textError = (text: string): string | null => (text === '' ? 'Enter a text.' : null)

function LinkForm({ editor, onDone }: { readonly editor: Editor; readonly onDone: () => void }) {
  const isLink = editor.isActive('link')
  const needsText = !isLink && editor.state.selection.empty
  const href = textAttribute({ attrs: editor.getAttributes('link') }, 'href') ?? ''
  const link = () => editor.chain().focus().extendMarkRange('link')
  return (
    <ControlForm
      fields={{
        ...(needsText ? { text: { label: 'Text', initial: '', check: textError } } : {}),
        href: {
          label: 'Address',
          description: 'A URL, or Liquid such as {{ payload.url }}.',
          initial: href,
          check: linkAddressError,
        },
      }}
      submit={isLink ? 'Apply' : 'Insert link'}
      onSubmit={({ href: address = '', text }) => {
        if (text === undefined) link().setLink({ href: address }).run()
        else {
          const marks = [{ type: 'link', attrs: { href: address } }]
          editor.chain().focus().insertContent({ type: 'text', text, marks }).run()
        }
        onDone()
      }}
      onRemove={
        isLink
          ? () => {
              link().unsetLink().run()
              onDone()
            }
          : undefined
      }
    />
  )
}

export function LinkControl({ editor }: { readonly editor: Editor }) {
  const isLink = useEditorState({ editor, selector: ({ editor: current }) => current.isActive('link') })
  return (
    <PopoverControl label="Link" icon={IconLink} pressed={isLink}>
      {(close) => <LinkForm editor={editor} onDone={close} />}
    </PopoverControl>
  )
}
