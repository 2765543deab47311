// The control for a button block: a new one, or the one at the cursor.
import { IconRectangle } from '@tabler/icons-react'
import { type Editor, useEditorState } from '@tiptap/react'
import { linkAddressError } from './address.ts'
import { BUTTON_BACKGROUND } from './button-style.ts'
import { ControlForm } from './control-form.tsx'
import { PopoverControl } from './popover-control.tsx'
import { textAttribute } from './rich-document.ts'

function ButtonForm({ editor, onDone }: { readonly editor: Editor; readonly onDone: () => void }) {
  const isButton = editor.isActive('button')
  const attrs: Readonly<Record<string, unknown>> = isButton ? editor.getAttributes('button') : {}
  const initial = (name: string) => textAttribute({ attrs }, name)
  return (
    <ControlForm
      fields={{
        // The label of a button that exists is edited in the text.
        ...(isButton
          ? {}
          : {
              label: { label: 'Label', initial: '', check: (text: string) => (text === '' ? 'Enter a label.' : null) },
            }),
        href: {
          label: 'Address',
          description: 'A URL, or Liquid such as {{ payload.url }}.',
          initial: initial('href') ?? '',
          check: linkAddressError,
        },
        background: { label: 'Color', type: 'color', initial: initial('background') ?? BUTTON_BACKGROUND },
      }}
      submit={isButton ? 'Apply' : 'Insert button'}
      onSubmit={({ label, ...changed }) => {
        const chain = editor.chain().focus()
        if (label === undefined) chain.updateAttributes('button', changed).run()
        else chain.insertContent({ type: 'button', attrs: changed, content: [{ type: 'text', text: label }] }).run()
        onDone()
      }}
      onRemove={
        isButton
          ? () => {
              editor.chain().focus().deleteNode('button').run()
              onDone()
            }
          : undefined
      }
    />
  )
}

export function ButtonControl({ editor }: { readonly editor: Editor }) {
  const isButton = useEditorState({ editor, selector: ({ editor: current }) => current.isActive('button') })
  return (
    <PopoverControl label="Button" icon={IconRectangle} pressed={isButton}>
      {(close) => <ButtonForm editor={editor} onDone={close} />}
    </PopoverControl>
  )
}
