// The toolbar of the rich-text editor: one tab stop, in which the arrow keys move.
import { type Editor, useEditorState } from '@tiptap/react'
import type { KeyboardEvent } from 'react'
import { ButtonControl } from './button-control.tsx'
import { controls } from './controls.ts'
import { ImageControl } from './image-control.tsx'
import { LinkControl } from './link-control.tsx'
import styles from './rich-text.module.css'
import { ToolbarButton } from './toolbar-button.tsx'
import { VariableControl } from './variable-control.tsx'

interface ToolbarProps {
  readonly editor: Editor
  readonly variables: readonly string[]
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Moves the focus, and makes the button with the focus the tab stop. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button === event.target)
  const next = at === -1 ? undefined : buttons[moves[event.key]?.(at, buttons.length) ?? -1]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

export function Toolbar({ editor, variables }: ToolbarProps) {
  const states = useEditorState({
    editor,
    selector: ({ editor: current }) =>
      controls.map((control) => ({
        pressed: control.isActive?.(current),
        disabled: control.isDisabled?.(current) ?? false,
      })),
  })
  const shown = controls.map((control, index) => (
    <ToolbarButton
      key={control.label}
      label={control.label}
      icon={control.icon}
      keys={control.keys}
      pressed={states[index]?.pressed}
      disabled={states[index]?.disabled ?? false}
      isTabStop={index === 0}
      onClick={() => control.run(editor)}
    />
  ))
  return (
    <div
      role="toolbar"
      aria-label="Formatting"
      className={styles['toolbar']}
      onKeyDown={move}
      onFocus={({ currentTarget, target }) => {
        // The forms of the popovers are elsewhere on the page.
        if (!currentTarget.contains(target)) return
        for (const button of currentTarget.querySelectorAll('button')) {
          button.tabIndex = button.isSameNode(target) ? 0 : -1
        }
      }}
    >
      {shown}
      <LinkControl editor={editor} />
      <ImageControl editor={editor} />
      <ButtonControl editor={editor} />
      <VariableControl editor={editor} variables={variables} />
    </div>
  )
}
