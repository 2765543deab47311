// The colors of code, in light and dark, each with enough contrast (WCAG 2.2, 1.4.3).
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

type Hue = 'indigo' | 'teal' | 'red' | 'grape' | 'cyan' | 'gray'

const color = (hue: Hue) => `light-dark(var(--mantine-color-${hue}-9), var(--mantine-color-${hue}-4))`

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: color('indigo') },
  { tag: [tags.tagName, tags.propertyName], color: color('cyan') },
  { tag: [tags.attributeName, tags.function(tags.variableName)], color: color('grape') },
  { tag: [tags.string, tags.attributeValue], color: color('teal') },
  { tag: [tags.number, tags.bool, tags.null], color: color('red') },
  { tag: [tags.variableName], color: color('grape') },
  { tag: [tags.comment, tags.meta, tags.angleBracket, tags.brace, tags.punctuation], color: color('gray') },
  { tag: tags.invalid, color: color('red') },
])

const frame = EditorView.theme({
  '&': {
    backgroundColor: 'var(--input-bg, var(--mantine-color-body))',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
    fontSize: 'var(--mantine-font-size-sm)',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-scroller': { borderRadius: 'inherit', fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(var(--mantine-color-indigo-1), var(--mantine-color-dark-3))',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-color-white)',
  },
})

export const codeTheme: Extension = [frame, syntaxHighlighting(highlighting)]
