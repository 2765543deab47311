// GraphiQL as it is served: its example operations, and where it leads. A browser opens it in test/system/graphiql.test.ts.
import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { examples } from '../src/graphql/graphiql-examples.ts'
import { schema } from '../src/graphql/schema/schema.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

describe('the examples of GraphiQL', () => {
  test.each(examples)('$label is an operation of the schema', ({ query }) => {
    expect(validate(schema, parse(query))).toEqual([])
  })

  test('run without an error, one after the other', async () => {
    for (const { label, query, variables = '{}' } of examples) {
      if (getOperationAST(parse(query))?.operation === OperationTypeNode.SUBSCRIPTION) continue
      const { data, errors } = await world.development.send(query, JSON.parse(variables))
      expect({ label, errors }).toEqual({ label, errors: [] })
      expect(JSON.stringify(data)).not.toMatch(/"(userErrors|errors)":\[\{/)
    }
  })
})

describe('GraphiQL and the dashboard', () => {
  const withoutGraphiql = useWorld({ graphiql: false })
  const withoutDashboard = useWorld({ dashboard: false })
  const open = async ({ app }: typeof world, path: string) => {
    const headers = { accept: 'text/html' }
    return (await app.fetch(new Request(`http://gateway.test${path}`, { headers }))).text()
  }

  test('lead to each other', async () => {
    expect(await open(world, '/')).toContain('<meta name="graphiql" content="on"')
    expect(await open(world, '/graphql')).toContain('const DASHBOARD = true')
  })

  test('do not lead to each other where the other one is off', async () => {
    expect(await open(withoutGraphiql, '/')).toContain('<meta name="graphiql" content="off"')
    expect(await open(withoutDashboard, '/graphql')).toContain('const DASHBOARD = false')
  })
})
