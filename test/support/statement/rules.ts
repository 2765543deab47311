// Rules for the text of statements, which let the rows of an environment be on a server of their own.
import { readFileSync } from 'node:fs'

/** What a statement does that it must not. `docs/decisions/statements-of-one-environment.md` has the reasons. */
export type StatementRule =
  /** A table is read or written without the environment as a parameter. */
  | 'environment'
  /** INSERT is a part of a statement with other writes. */
  | 'parts'
  /** ON CONFLICT reads more than the two rows, or RETURNING has a subquery. */
  | 'conflict'
  /** NOTIFY depends on tables. */
  | 'notify'
  /** `ctid` is read without the environment, or a size of a table is read. */
  | 'storage'

/** Tables of the directory, which all environments share. */
const DIRECTORY = ['environments', 'api_keys', 'sign_in_codes', 'dashboard_sessions']

const schema = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8')

/** The tables whose rows belong to an environment. */
export const tenantTables: readonly string[] = [...schema.matchAll(/^model \w+ \{\n(.*?)\n\}/gms)].flatMap(
  ([, body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? ''
    return body.includes('@map("environment_id")') && !DIRECTORY.includes(table) ? [table] : []
  },
)

const SUBQUERY = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/
const KEYWORDS =
  'SELECT|SET|WHERE|ON|USING|JOIN|LEFT|RIGHT|INNER|CROSS|FULL|ORDER|GROUP|LIMIT|OFFSET|FOR|UNION|RETURNING|VALUES|HAVING|WINDOW|TABLESAMPLE|AND|DO'

const mention = new RegExp(
  String.raw`(?:\b(?:FROM|JOIN|UPDATE|USING)|,)\s+(?:ONLY\s+)?(${tenantTables.join('|')})\b(?![.(])(?:\s+(?:AS\s+)?(?!(?:${KEYWORDS})\b)(\w+))?`,
  'g',
)

/** The text without comments, quotes and schemas. Literals become parameters. */
const normalized = (text: string) =>
  text
    .replaceAll(/\/\*.*?\*\/|--.*$/gm, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, '$0')
    .replaceAll('"', '')
    .replaceAll('public.', '')
    .replaceAll(/\s+/g, ' ')

/**
 * The queries in a text, each with `(…)` in place of its subqueries, and the parts of a UNION apart. Other brackets remain.
 */
function queriesOf(text: string): string[] {
  const found: string[] = []
  const read = (start: number): { readonly own: string; readonly end: number } => {
    let own = ''
    let at = start
    for (; at < text.length && text[at] !== ')'; at += 1) {
      if (text[at] !== '(') {
        own += text.charAt(at)
        continue
      }
      const isSubquery = SUBQUERY.test(text.slice(at + 1, at + 20))
      const inner = read(at + 1)
      at = inner.end
      if (isSubquery) found.push(...inner.own.split(/\b(?:UNION(?: ALL)?|INTERSECT|EXCEPT)\b/))
      own += isSubquery ? '(…)' : `(${inner.own})`
    }
    return { own, end: at }
  }
  const { own } = read(0)
  return [...found, ...own.split(/\b(?:UNION(?: ALL)?|INTERSECT|EXCEPT)\b/)]
}

/** The items of a list, whose brackets may have commas of their own. */
function itemsOf(list: string): string[] {
  const items = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) break
    if (character === ',' && depth === 0) items.push('')
    else items.push((items.pop() ?? '') + character)
  }
  return items.map((item) => item.trim())
}

/** True if a query inserts rows whose environment is no parameter. */
function insertsElsewhere(query: string): boolean {
  const insert = new RegExp(
    String.raw`\bINSERT INTO (?:${tenantTables.join('|')})\b(?: AS \w+)? \(([^)]*)\) (?:SELECT|VALUES \()(.*)$`,
  ).exec(query)
  if (insert === null) return false
  const [, columns = '', values = ''] = insert
  const place = itemsOf(columns).indexOf('environment_id')
  return !/^\$\d+/.test(itemsOf(values)[place] ?? '')
}

/** True if a query mentions a table without the environment as a parameter. @param parts the names of the WITH clauses. */
function mentionsElsewhere(query: string, parts: ReadonlySet<string>): boolean {
  let unqualified = [
    ...query.matchAll(/(?<![.\w])environment_id (?:=|IN) \(?\$\d+|\(environment_id, [^)]*\) (?:=|IN) \(+\$/g),
  ].length
  return [...query.matchAll(mention)].some(([, table = '', alias]) => {
    const name = alias ?? table
    if (parts.has(table)) return false
    const isNamed = new RegExp(
      String.raw`\b${name}\.environment_id (?:=|IN) \(?\$\d+|\$\d+(?:::uuid)? = ${name}\.environment_id|\(${name}\.environment_id, [^)]*\) (?:=|IN) \(+\$`,
    ).test(query)
    if (isNamed) return false
    unqualified -= 1
    return unqualified < 0
  })
}

const WRITE = /\b(?:INSERT INTO|DELETE FROM)\b|\bUPDATE (?:ONLY )?\w+(?: AS \w+)? SET\b/g

const INSERT = new RegExp(String.raw`\bINSERT INTO (?:${tenantTables.join('|')})\b`)

const hasConflict = (query: string) => {
  if (/\bINSERT INTO\b/.test(query) && !INSERT.test(query)) return false
  const update = /\bDO UPDATE SET(.*?)(?:\bRETURNING\b|$)/.exec(query)?.[1] ?? ''
  const returning = /\bRETURNING\b(.*)$/.exec(query)?.[1] ?? ''
  return /\$[1-9]|\(…\)/.test(update) || returning.includes('(…)')
}

/** The rules that a statement breaks. */
export function brokenRules(statement: string): StatementRule[] {
  const text = normalized(statement)
  const queries = queriesOf(text)
  const parts = new Set(
    Array.from(
      text.matchAll(/(?:\bWITH(?: RECURSIVE)?|,) (\w+)(?: ?\([^)]*\))? AS (?:MATERIALIZED )?\(/g),
      ([, name = '']) => name,
    ),
  )
  const isElsewhere = queries.some((query) => insertsElsewhere(query) || mentionsElsewhere(query, parts))
  const hasPart = queries.slice(0, -1).some((query) => /^\s*INSERT INTO\b/.test(query))
  const broken: Readonly<Record<StatementRule, boolean>> = {
    environment: isElsewhere,
    parts: hasPart && [...text.matchAll(WRITE)].length > 1,
    conflict: queries.some(hasConflict),
    notify:
      /\bpg_notify\(/.test(text) && queries.some((query) => query.search(WRITE) >= 0 || query.search(mention) >= 0),
    storage: /\bpg_relation_size\(/.test(text) || (isElsewhere && /\bctid\b/.test(text)),
  }
  return (Object.keys(broken) as StatementRule[]).filter((rule) => broken[rule])
}
