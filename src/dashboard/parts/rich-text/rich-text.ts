// What is loaded when someone opens the rich-text editor, as one file.
import { readHtml } from './read-html.ts'
import { RichTextEditor } from './rich-text-editor.tsx'
import { writeHtml } from './write-html.ts'

export const richText = { RichTextEditor, readHtml, writeHtml }
