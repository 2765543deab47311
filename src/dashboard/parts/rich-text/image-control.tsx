// The control for an image by its address: a new one, or the selected one.
import { IconPhoto } from '@tabler/icons-react'
import { type Editor, useEditorState } from '@tiptap/react'
import { imageAddressError } from './address.ts'
import { ControlForm } from './control-form.tsx'
import { PopoverControl } from './popover-control.tsx'
import { textAttribute } from './rich-document.ts'

const widthError = (text: string): string | null =>
  text === '' || /^[1-9]\d{0,3}$/.test(text) ? null : 'Enter a whole number of pixels.'

function ImageForm({ editor, onDone }: { readonly editor: Editor; readonly onDone: () => void }) {
  const isImage = editor.isActive('image')
  const attrs: Readonly<Record<string, unknown>> = isImage ? editor.getAttributes('image') : {}
  const initial = (name: string) => textAttribute({ attrs }, name) ?? ''
  return (
    <ControlForm
      fields={{
        src: {
          label: 'Address',
          description: 'A URL, or Liquid such as {{ payload.image }}.',
          initial: initial('src'),
          check: imageAddressError,
        },
        alt: {
          label: 'Description',
          description: 'Screen readers read it, and it is shown if the image is not loaded.',
          initial: initial('alt'),
        },
        width: { label: 'Width in pixels', initial: initial('width'), check: widthError },
      }}
      submit={isImage ? 'Apply' : 'Insert image'}
      onSubmit={({ src, alt, width }) => {
        const changed = { src, alt, width: width === '' ? null : width }
        if (isImage) editor.chain().focus().updateAttributes('image', changed).run()
        else editor.chain().focus().insertContent({ type: 'image', attrs: changed }).run()
        onDone()
      }}
      onRemove={
        isImage
          ? () => {
              editor.chain().focus().deleteSelection().run()
              onDone()
            }
          : undefined
      }
    />
  )
}

export function ImageControl({ editor }: { readonly editor: Editor }) {
  const isImage = useEditorState({ editor, selector: ({ editor: current }) => current.isActive('image') })
  return (
    <PopoverControl label="Image" icon={IconPhoto} pressed={isImage}>
      {(close) => <ImageForm editor={editor} onDone={close} />}
    </PopoverControl>
  )
}
