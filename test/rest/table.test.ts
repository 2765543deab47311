// The table of the REST door: every row does what the graph does too, by the same resolver.
import { isObjectType } from 'graphql'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { schema } from '../../src/graphql/schema/schema.ts'
import { table } from '../../src/rest/table.ts'

const rows = table.map((row) => ({ ...row, name: `${row.method.toUpperCase()} ${row.path}` }))

const ofGraph = new Set(
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .map(resolverOf),
)

describe('the table', () => {
  test.each(rows)('calls for $name a resolver that the graph calls too', ({ resolver }) => {
    expect(ofGraph).toContain(resolver)
  })

  test('has one row for a method and a path', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  })
})

describe('the files of the REST door', () => {
  const folder = path.resolve(import.meta.dirname, '../../src/rest')

  /** What a file takes from src/data that is there when the program runs: types are not. */
  function dataImports(name: string): string[] {
    const file = ts.createSourceFile(name, readFileSync(path.join(folder, name), 'utf8'), ts.ScriptTarget.Latest)
    return file.statements
      .filter(ts.isImportDeclaration)
      .filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
      .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
      .map((specifier) => specifier.replace(/^(\.\.\/)+/, ''))
      .filter((specifier) => specifier.startsWith('data/'))
  }

  // What a failure means, and the values of enumerations.
  const harmless = ['data/database-errors.ts', 'data/prisma/enums.ts']

  test.each(readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')))(
    '%s leaves the database to the domain',
    (name) => {
      expect(dataImports(name).filter((specifier) => !harmless.includes(specifier))).toEqual([])
    },
  )
})
