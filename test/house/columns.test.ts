// Column names, which must follow the field names because hand-written SQL relies on it.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const snakeCase = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The expected `table.column` of every field that is not a relation. */
function expectedColumns(): string[] {
  const schema = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
  const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)\n\}/gms)]
  const relations = new Set(models.map(([, name]) => name))
  return models.flatMap(([, name, body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1]
    if (table === undefined) throw new Error(`the model ${name} names no table`)
    const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)/gm)].filter(([, , type]) => !relations.has(type))
    return fields.map(([, field = '']) => `${table}.${snakeCase(field)}`)
  })
}

test('every column name is its field name in snake case', async () => {
  const columns = await world.database.client.$queryRaw<{ name: string }[]>`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`
  expect(columns.map(({ name }) => name).sort()).toEqual(expectedColumns().sort())
})
