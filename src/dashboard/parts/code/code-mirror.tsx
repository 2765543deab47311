// The editor of code fields: CodeMirror, with the errors of the gateway at their lines.
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { liquid } from '@codemirror/lang-liquid'
import { type Diagnostic, linter, lintGutter, setDiagnostics } from '@codemirror/lint'
import type { Extension, Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import ReactCodeMirror from '@uiw/react-codemirror'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { nonce } from '../nonce.ts'
import type { CodeInput, CodeProblem, Language, Selection } from './code-language.ts'
import { codeTheme } from './code-theme.ts'

interface CodeMirrorProps extends CodeInput {
  readonly language: Language
  readonly variables: readonly string[] | undefined
  readonly problems: readonly CodeProblem[] | undefined
  /** Where someone already writes. Absent if the focus is elsewhere. */
  readonly selection: Selection | undefined
}

/** Suggests variables by path: first `payload`, then its properties after the dot. */
function suggestionsOf(variables: readonly string[]) {
  const under = (path: readonly string[]) => {
    const prefix = path.map((name) => `${name}.`).join('')
    const inside = variables.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
    return [...new Set(inside.map((name) => name.split('.')[0] ?? ''))].map((label) => ({ label, type: 'variable' }))
  }
  return { variables: under([]), properties: under }
}

/** An empty field has no value, so its text has no error of its own. */
const parseJson = jsonParseLinter()

const languages: Readonly<Record<Language, (variables: readonly string[]) => Extension>> = {
  liquid: (variables) => [liquid(suggestionsOf(variables)), linter(null)],
  json: () => [json(), linter((view) => (view.state.doc.length === 0 ? [] : parseJson(view)))],
}

/** The text may have changed since the error was found, so the position is limited to the text. */
function diagnosticAt(text: Text, { line, column, message }: CodeProblem): Diagnostic {
  const { from: start, to } = text.line(Math.min(line, text.lines))
  return { from: Math.min(start + column - 1, to), to, severity: 'error', message }
}

export function CodeMirror(props: CodeMirrorProps) {
  const { language, variables, problems, labelledBy, describedBy, invalid, readOnly } = props
  const [view, setView] = useState<EditorView>()
  const [selection] = useState(props.selection)
  // The same function for all renderings: a new function would make the editor configure itself again.
  const latest = useRef(props.onChange)
  useEffect(() => {
    latest.current = props.onChange
  })
  const change = useCallback((value: string) => latest.current(value), [])

  const extensions = useMemo(
    () => [
      EditorView.cspNonce.of(nonce ?? ''),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-labelledby': labelledBy,
        ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        ...(invalid ? { 'aria-invalid': 'true' } : {}),
      }),
      languages[language](variables ?? []),
      lintGutter(),
    ],
    [language, variables, labelledBy, describedBy, invalid],
  )

  useEffect(() => {
    if (view === undefined || problems === undefined) return
    const found = problems.map((problem) => diagnosticAt(view.state.doc, problem))
    view.dispatch(setDiagnostics(view.state, found))
  }, [view, problems])

  return (
    <ReactCodeMirror
      value={props.value}
      onChange={change}
      onCreateEditor={(created) => {
        setView(created)
        if (selection === undefined) return
        created.dispatch({ selection: { anchor: selection.from, head: selection.to } })
        created.focus()
      }}
      readOnly={readOnly}
      theme={codeTheme}
      extensions={extensions}
      minHeight={`${props.minHeight}px`}
      maxHeight={props.maxHeight}
      // Tab leaves the field, as in every other field.
      indentWithTab={false}
      basicSetup={{
        foldGutter: false,
        highlightActiveLine: false,
        highlightActiveLineGutter: false,
        searchKeymap: false,
      }}
    />
  )
}
