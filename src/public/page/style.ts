// The styles of the public pages, in light and dark, with the color of the brand.
import { readableOn, textOn } from './color.ts'

const STANDARD_COLOR = '#4263eb'
const LIGHT = '#ffffff'
const DARK = '#25262b'

/** The variables of a color scheme. */
function schemeOf(color: string, background: string): string {
  const accent = readableOn(color, background)
  return `--accent: ${accent}; --card: ${background};`
}

const rules = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Hiragino Sans', 'Yu Gothic', sans-serif; }
.frame { max-width: 42rem; margin: 0 auto; padding: clamp(1.25rem, 6vh, 4rem) 1rem 2rem; }
header { min-height: 2.5rem; margin-bottom: 1.25rem; text-align: center; font-weight: 600; overflow-wrap: anywhere; }
header a { color: inherit; text-decoration: none; }
header a:hover { text-decoration: underline; }
header img { max-width: 12rem; max-height: 3.5rem; vertical-align: middle; }
main { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: clamp(1.25rem, 5vw, 2.25rem); box-shadow: 0 1px 2px rgb(0 0 0 / 4%), 0 12px 32px rgb(0 0 0 / 6%); }
main.short { max-width: 30rem; margin: 0 auto; text-align: center; }
h1 { margin: 0 0 .5rem; font-size: clamp(1.35rem, 4.5vw, 1.65rem); line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 0; font-size: 1.05rem; line-height: 1.4; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; text-wrap: pretty; }
.dimmed, footer { color: var(--dimmed); }
.small { font-size: .875rem; }
.note { border-radius: .6rem; padding: .7rem .9rem; background: var(--soft); border-inline-start: 3px solid var(--accent); text-align: start; }
.mark { display: grid; place-items: center; width: 3rem; height: 3rem; margin: 0 auto 1rem; border-radius: 50%; background: var(--soft); color: var(--accent); }
a { color: var(--accent); text-underline-offset: .2em; }
button { min-height: 2.75rem; padding: .6rem 1.25rem; border: 1px solid var(--accent); border-radius: .6rem; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.08); }
button.plain { background: transparent; color: var(--text); border-color: var(--control); font-weight: 500; }
button.plain:hover { background: var(--soft); filter: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
form { margin: 0; }
main.short form { margin: 1.5rem 0 1rem; }
section { border-top: 1px solid var(--line); padding: 1.25rem 0; }
section:first-of-type { margin-top: 1.25rem; }
fieldset { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; justify-content: space-between; min-width: 0; margin: 0; padding: 0; border: 0; }
legend { float: inline-start; flex: 1 1 13rem; padding: .35rem 0; overflow-wrap: anywhere; }
.choices { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
label { display: inline-flex; align-items: center; gap: .6rem; min-height: 2.75rem; cursor: pointer; }
input[type='checkbox'] { appearance: none; flex: none; position: relative; width: 2.5rem; height: 1.5rem; margin: 0; border: 1px solid var(--control); border-radius: 1rem; background: var(--control); cursor: pointer; }
input[type='checkbox']::before { content: ''; position: absolute; inset-block-start: 2px; inset-inline-start: 2px; width: calc(1.5rem - 6px); height: calc(1.5rem - 6px); border-radius: 50%; background: var(--card); }
input[type='checkbox']:checked { background: var(--accent); border-color: var(--accent); }
input[type='checkbox']:checked::before { inset-inline-start: calc(1rem + 2px); }
@media (prefers-reduced-motion: no-preference) { input[type='checkbox']::before { transition: inset-inline-start .12s; } }
@media (forced-colors: active) { input[type='checkbox'] { appearance: auto; } }
details { margin-top: .5rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
summary { display: inline-block; padding: .4rem 0; color: var(--accent); cursor: pointer; }
summary::before { content: '+'; display: inline-block; width: 1.1em; font-weight: 600; }
details[open] > summary::before { content: '–'; }
details > div { border-inline-start: 2px solid var(--line); padding-inline-start: 1rem; }
.row + .row { border-top: 1px solid var(--line); }
details .row, .row { padding: .25rem 0; }
.badge { display: inline-block; padding: .15rem .65rem; border-radius: 1rem; background: var(--soft); font-size: .875rem; white-space: nowrap; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
footer { padding: 1.5rem 1rem 0; text-align: center; font-size: .875rem; white-space: pre-line; }
@media (max-width: 30rem) { .actions button { width: 100%; } main.short button { width: 100%; } }
`

const light =
  '--page: #f4f5f7; --text: #1a1b1e; --dimmed: #495057; --line: #e3e5e8; --control: #868e96; --soft: #f1f3f5;'
const dark =
  '--page: #141517; --text: #e9ecef; --dimmed: #adb5bd; --line: #373a40; --control: #7b818a; --soft: #2f3136;'

/** Returns the style sheet of a brand. @param color as #rgb or #rrggbb. */
export function styleFor(color: string = STANDARD_COLOR): string {
  return [
    `:root { color-scheme: light dark; --brand: ${color}; --on-brand: ${textOn(color)}; ${light} ${schemeOf(color, LIGHT)} }`,
    `@media (prefers-color-scheme: dark) { :root { ${dark} ${schemeOf(color, DARK)} } }`,
    rules,
  ].join('\n')
}
