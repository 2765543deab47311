// Doors reach data only through resolvers, and the compiler rejects everything else. Only `@ts-expect-error` can prove
// that, because it is itself an error if the line below compiles.
import { expect, test } from 'vitest'
import { createDoorScope } from '../../src/domain/resolver/door-scope.ts'
import { ensureTopic, topic } from '../../src/domain/topic.ts'
import { builder } from '../../src/graphql/schema/builder.ts'
import { Topic } from '../../src/graphql/topic.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import { route } from '../../src/rest/route.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Never called, because these belong neither to the graph nor to REST. */
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
      // @ts-expect-error The scope of an object field has no database.
      resolve: (_topic, _args, { scope }) => scope.db.topic.findMany(),
    }),
  )
  builder.objectField(Topic, 'kept', (t) =>
    t.boolean({
      description: 'True if a function that only resolvers call was called.',
      resolve: async ({ key }, _args, { scope }) => {
        // @ts-expect-error A door has no open scope.
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
    // @ts-expect-error The scope of a route has no database.
    view: (_row, scope) => scope.db.topic.findMany(),
  })
}

test('the scope of a door gives no access to data, neither in its type nor at run time', async () => {
  const headers = new Headers({ authorization: `ApiKey ${world.development.key}` })
  const scope = createDoorScope(world.gateway, await authenticate(world.gateway, headers))
  expect(Reflect.ownKeys(scope)).toEqual([])
  const named: readonly string[] = ['db', 'load', 'transaction', 'atomic', 'cipher', 'findReplica']
  expect(named.filter((name) => Reflect.has(scope, name))).toEqual([])
})
