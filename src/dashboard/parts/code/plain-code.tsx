// A code field without the editor: the same text, until the editor is loaded.
import { Textarea } from '@mantine/core'
import type { CodeInput } from './code-language.ts'
import { loadCodeMirror } from './code-module.ts'

interface PlainCodeProps extends CodeInput {
  /** Called with the offsets of the selection, at which the editor takes over. */
  readonly onSelect: (from: number, to: number) => void
  readonly onBlur: () => void
}

/** A pointer over the field, or the focus in it, means that someone is about to write. */
export const PlainCode = (props: PlainCodeProps) => (
  <Textarea
    aria-labelledby={props.labelledBy}
    aria-describedby={props.describedBy}
    aria-invalid={props.invalid}
    value={props.value}
    readOnly={props.readOnly}
    spellCheck={false}
    autosize
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    onPointerEnter={loadCodeMirror}
    onFocus={loadCodeMirror}
    onSelect={({ currentTarget }) => props.onSelect(currentTarget.selectionStart, currentTarget.selectionEnd)}
    onBlur={props.onBlur}
    styles={{
      input: {
        minHeight: props.minHeight,
        maxHeight: props.maxHeight,
        fontFamily: 'var(--mantine-font-family-monospace)',
      },
    }}
  />
)
