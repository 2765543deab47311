// Doors reach data through resolvers only. The compiler rejects everything else: each `@ts-expect-error` would be an error
// of its own if the line below it compiled.
import { expect, test } from 'vitest'
import { createDoorScope } from '../../src/domain/resolver/door-scope.ts'
import { ensureTopic, topic } from '../../src/domain/topic.ts'
import { builder } from '../../src/graphql/schema/builder.ts'
import { Topic } from '../../src/graphql/topic.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import { route } from '../../src/rest/route.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Never called: they belong neither to the graph nor to REST. */
export function doorsThatDoNotCompile(): void {
  builder.queryField('everyTopic', (t) =>
    t.field({
      type: [Topic],
      description: 'Topics of all environments.',
      // @ts-expect-error The scope of a door has no database.
      resolve: (_root, _args, { scope }) => scope.db.topic.findMany(),
    }),
  )
  builder.objectField(Topic, 'others', (t) =>
    t.field({
      type: [Topic],
      description: 'Topics of all environments.',
      // @ts-expect-error Nor does an object field reach it.
      resolve: (_topic, _args, { scope }) => scope.db.topic.findMany(),
    }),
  )
  builder.objectField(Topic, 'kept', (t) =>
    t.boolean({
      description: 'What only resolvers call takes an open scope.',
      resolve: async ({ key }, _args, { scope }) => {
        // @ts-expect-error A door has none.
        await ensureTopic(scope, key)
        return true
      },
    }),
  )
  route({
    method: 'get',
    path: '/v2/everything',
    summary: 'List everything',
    resolver: topic,
    input: () => ({ key: 'a' }),
    statuses: [200],
    // @ts-expect-error The scope of a route has no database either.
    view: (_row, scope) => scope.db.topic.findMany(),
  })
}

test('the scope that a door holds shows no data, in the types and when it runs', async () => {
  const headers = new Headers({ authorization: `ApiKey ${world.development.key}` })
  const scope = createDoorScope(world.gateway, await authenticate(world.gateway, headers))
  expect(Reflect.ownKeys(scope)).toEqual([])
  const named: readonly string[] = ['db', 'load', 'transaction', 'atomic', 'cipher', 'findReplica']
  expect(named.filter((name) => Reflect.has(scope, name))).toEqual([])
})
