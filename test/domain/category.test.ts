// Categories: groups of workflows that subscribers turn on and off together, and the record of consent.
import { beforeEach, describe, expect, test } from 'vitest'
import { operatorIn } from '../../src/domain/access/operator.ts'
import { updateSubscriberPreferences } from '../../src/domain/preference/preference.ts'
import { createScope } from '../../src/domain/resolver/create-scope.ts'
import { browserOf } from '../support/browser.ts'
import { createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
})

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const news = { key: 'news', name: 'News' }
const inApp = (enabled: boolean | null) => [{ channel: 'IN_APP', enabled }]
const prefer = (input: object) => done(acme, 'updateSubscriberPreferences', { subscriberId: 'ada', ...input })
const errorsOf = async (mutation: string, input: object) =>
  (await acme.act(mutation, { ...input }, 'userErrors { code field message }')).userErrors

async function outcomeOf(): Promise<string | undefined> {
  const transactionId = await trigger(acme)
  await world.work()
  return (await outcomes(acme, transactionId))['bell']
}

describe('categories', () => {
  const keys = async () => {
    const { categories } = await acme.ask(
      '{ categories(orderBy: { field: POSITION, direction: ASC }) { nodes { key position } } }',
    )
    return categories.nodes.map(({ key }: { key: string }) => key)
  }

  test('are created last, and reordered in one call', async () => {
    for (const key of ['one', 'two', 'three']) await done(acme, 'createCategory', { key, name: key })
    expect(await keys()).toEqual(['one', 'two', 'three'])
    await done(acme, 'reorderCategories', { keys: ['three', 'one', 'two'] })
    expect(await keys()).toEqual(['three', 'one', 'two'])
  })

  test('are reordered only as a whole', async () => {
    for (const key of ['one', 'two']) await done(acme, 'createCategory', { key, name: key })
    expect(await errorsOf('reorderCategories', { keys: ['two'] })).toMatchObject([
      { code: 'CONFLICT', field: ['keys'] },
    ])
    expect(await errorsOf('reorderCategories', { keys: ['two', 'two'] })).toMatchObject([{ code: 'BAD_USER_INPUT' }])
    expect(await errorsOf('reorderCategories', { keys: ['two', 'one', 'no'] })).toMatchObject([
      { code: 'NOT_FOUND', field: ['keys', '2'] },
    ])
    expect(await keys()).toEqual(['one', 'two'])
  })

  test('have a key once, and are at most 50', async () => {
    for (let index = 0; index < 50; index++) await done(acme, 'createCategory', { key: `c${index}`, name: 'C' })
    expect(await errorsOf('createCategory', news)).toMatchObject([{ code: 'CONFLICT' }])
    await done(acme, 'deleteCategory', { key: 'c7' })
    await done(acme, 'createCategory', news)
    expect(await errorsOf('updateCategory', { key: 'c7', name: 'Seven' })).toMatchObject([{ code: 'NOT_FOUND' }])
    await done(acme, 'deleteCategory', { key: 'c8' })
    expect(await errorsOf('createCategory', news)).toMatchObject([{ code: 'CONFLICT', field: ['key'] }])
  })

  test.each(['', 'a b', 'ä', 'x'.repeat(65), 'a\u0000'])('cannot have the key %j', async (key) => {
    expect(await errorsOf('createCategory', { key, name: 'News' })).toMatchObject([
      { code: 'BAD_USER_INPUT', field: ['key'] },
    ])
  })

  test('are not deleted while a workflow has them', async () => {
    await done(acme, 'createCategory', news)
    await createWorkflow(acme, [bell], { categoryKey: 'news' })
    expect(await errorsOf('deleteCategory', { key: 'news' })).toMatchObject([{ code: 'CONFLICT', field: ['key'] }])
    await done(acme, 'updateWorkflow', { identifier: 'order', categoryKey: null })
    await done(acme, 'deleteCategory', { key: 'news' })
  })

  test('are changed in the version that was read', async () => {
    await done(acme, 'createCategory', news)
    await done(acme, 'updateCategory', { key: 'news', name: 'Offers', expectedVersion: 1 })
    expect(await errorsOf('updateCategory', { key: 'news', name: 'News', expectedVersion: 1 })).toMatchObject([
      { code: 'CONFLICT', field: ['expectedVersion'] },
    ])
  })
})

describe('a workflow', () => {
  const shown = async () => {
    const { workflow } = await acme.ask(
      '{ workflow(identifier: "order") { category { key workflows { nodes { identifier } } } unsubscribe } }',
    )
    return workflow
  }

  test('has a category, which selects it and decides what its links turn off', async () => {
    await done(acme, 'createCategory', news)
    await createWorkflow(acme, [bell])
    expect(await shown()).toEqual({ category: null, unsubscribe: 'WORKFLOW' })
    await done(acme, 'updateWorkflow', { identifier: 'order', categoryKey: 'news' })
    const category = { key: 'news', workflows: { nodes: [{ identifier: 'order' }] } }
    expect(await shown()).toEqual({ category, unsubscribe: 'CATEGORY' })
    await done(acme, 'updateWorkflow', { identifier: 'order', unsubscribe: 'ALL' })
    expect(await shown()).toEqual({ category, unsubscribe: 'ALL' })
    await done(acme, 'updateWorkflow', { identifier: 'order', critical: true })
    expect(await shown()).toEqual({ category, unsubscribe: 'OFF' })
    await done(acme, 'updateWorkflow', { identifier: 'order', critical: false, unsubscribe: null })
    expect(await shown()).toEqual({ category, unsubscribe: 'CATEGORY' })
    const found = await acme.ask('{ workflows(filter: { categoryKeys: ["news", "other"] }) { totalCount } }')
    expect(found).toEqual({ workflows: { totalCount: 1 } })
  })

  test('cannot have a category that does not exist', async () => {
    expect(await errorsOf('createWorkflow', { identifier: 'a', name: 'A', categoryKey: 'none' })).toMatchObject([
      { code: 'NOT_FOUND', field: ['categoryKey'] },
    ])
  })
})

describe('the preferences of a subscriber', () => {
  beforeEach(async () => {
    await done(acme, 'createCategory', news)
    await createWorkflow(acme, [bell], { categoryKey: 'news' })
  })

  test('turn off a category, and the log says so', async () => {
    await prefer({ categoryKey: 'news', enabled: false })
    expect(await outcomeOf()).toBe('SKIPPED subscriber_category_preference')
    await prefer({ categoryKey: 'news', enabled: true })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('for a workflow come before those for its category, and those before all', async () => {
    await prefer({ categoryKey: 'news', enabled: false })
    await prefer({ workflowIdentifier: 'order', enabled: true })
    expect(await outcomeOf()).toBe('SENT')
    await prefer({ categoryKey: 'news', channels: inApp(false) })
    expect(await outcomeOf()).toBe('SKIPPED subscriber_category_preference')
    await prefer({ enabled: false })
    expect(await outcomeOf()).toBe('SKIPPED subscriber_global_preference')
    await prefer({ categoryKey: 'news', enabled: true })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('for a category override earlier ones for its workflows, and those for all override both', async () => {
    await prefer({ workflowIdentifier: 'order', channels: inApp(true) })
    await prefer({ categoryKey: 'news', channels: inApp(false) })
    expect(await outcomeOf()).toBe('SKIPPED subscriber_category_preference')
    await prefer({ channels: inApp(true) })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('are not asked by a critical workflow', async () => {
    await done(acme, 'updateWorkflow', { identifier: 'order', critical: true })
    await prefer({ categoryKey: 'news', enabled: false })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('come before the default of the category, which comes before that of the workflow', async () => {
    await done(acme, 'updateCategory', { key: 'news', channels: inApp(false) })
    expect(await outcomeOf()).toBe('SKIPPED category_default')
    await done(acme, 'updateWorkflow', { identifier: 'order', channels: inApp(true) })
    expect(await outcomeOf()).toBe('SKIPPED category_default')
    await prefer({ categoryKey: 'news', channels: inApp(true) })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('are shown for each category in its order, as they decide', async () => {
    await done(acme, 'createCategory', { key: 'hidden', name: 'Hidden', isHidden: true })
    await done(acme, 'reorderCategories', { keys: ['hidden', 'news'] })
    await prefer({ categoryKey: 'news', enabled: false })
    const { subscriber } = await acme.ask(
      `{ subscriber(subscriberId: "ada") { preferences {
          categories { category { key } enabled channels { channel enabled decidedBy } }
          workflowPreferences { nodes { channels { channel enabled decidedBy } } } } } }`,
    )
    const off = [{ channel: 'IN_APP', enabled: false, decidedBy: 'SUBSCRIBER_CATEGORY' }]
    expect(subscriber.preferences).toEqual({
      categories: [
        { category: { key: 'hidden' }, enabled: true, channels: [] },
        { category: { key: 'news' }, enabled: false, channels: off },
      ],
      workflowPreferences: { nodes: [{ channels: off }] },
    })
  })

  test('cannot name a workflow and a category at once, nor a category that does not exist', async () => {
    const both = { subscriberId: 'ada', categoryKey: 'news', workflowIdentifier: 'order', enabled: false }
    expect(await errorsOf('updateSubscriberPreferences', both)).toMatchObject([{ field: ['categoryKey'] }])
    const missing = { subscriberId: 'ada', categoryKey: 'none', enabled: false }
    expect(await errorsOf('updateSubscriberPreferences', missing)).toMatchObject([
      { code: 'NOT_FOUND', field: ['categoryKey'] },
    ])
  })
})

describe('the record of consent', () => {
  beforeEach(async () => {
    await done(acme, 'createCategory', news)
    await createWorkflow(acme, [bell], { categoryKey: 'news' })
  })

  const fields = 'scope workflowIdentifier categoryKey channel enabled source contextKeys'
  const changes = async (args = '') => {
    const query = `{ subscriber(subscriberId: "ada") { preferenceChanges${args} { nodes { ${fields} } } } }`
    const { subscriber } = await acme.ask<{ subscriber: { preferenceChanges: { nodes: object[] } } }>(query)
    return subscriber.preferenceChanges.nodes
  }
  const change = {
    ...{ scope: 'ALL', workflowIdentifier: null, categoryKey: null, channel: null, enabled: false },
    ...{ source: 'API', contextKeys: [] },
  }
  const ofNews = { ...change, scope: 'CATEGORY', categoryKey: 'news' }

  test('has each change once, newest first', async () => {
    for (let time = 0; time < 3; time++) await prefer({ categoryKey: 'news', enabled: false })
    await prefer({ workflowIdentifier: 'order', channels: inApp(true) })
    await prefer({ enabled: false, channels: inApp(null) })
    expect(await changes()).toEqual([
      { ...change, channel: 'IN_APP', enabled: null },
      change,
      { ...change, scope: 'WORKFLOW', workflowIdentifier: 'order', channel: 'IN_APP', enabled: true },
      ofNews,
    ])
  })

  test('has a repeated choice again if it overrides a narrower one', async () => {
    await prefer({ enabled: false })
    await prefer({ categoryKey: 'news', enabled: true })
    await prefer({ enabled: false })
    await prefer({ enabled: false })
    expect(await changes()).toEqual([change, { ...ofNews, enabled: true }, change])
  })

  test('has 20 equal requests at the same time once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => prefer({ categoryKey: 'news', enabled: false })))
    expect(await changes()).toEqual([ofNews])
  })

  test('has the changes of a bulk request, and none of an item that fails', async () => {
    const preferences = [
      { subscriberId: 'ada', categoryKey: 'news', enabled: false },
      { subscriberId: 'ada', categoryKey: 'news', enabled: false },
      { subscriberId: 'ada', categoryKey: 'none', enabled: false },
      { subscriberId: 'ada', contexts: [{ type: 'tenant', identifier: 'acme' }], enabled: false },
    ]
    await done(acme, 'updatePreferences', { preferences })
    expect(await changes()).toEqual([{ ...change, contextKeys: ['tenant:acme'] }, ofNews])
  })

  test('is filtered', async () => {
    await prefer({ categoryKey: 'news', enabled: false })
    await prefer({ channels: inApp(false) })
    expect(await changes('(filter: { channel: IN_APP })')).toEqual([{ ...change, channel: 'IN_APP' }])
    expect(await changes('(filter: { categoryKey: "news" })')).toEqual([ofNews])
    expect(await changes('(filter: { sources: [ONE_CLICK, COMPLAINT] })')).toEqual([])
    expect(await changes('(filter: { createdBefore: "2020-01-01T00:00:00Z" })')).toEqual([])
  })

  test('survives the workflow and the category, and is deleted with the subscriber', async () => {
    await prefer({ categoryKey: 'news', enabled: false })
    await done(acme, 'deleteWorkflow', { identifier: 'order' })
    await done(acme, 'deleteCategory', { key: 'news' })
    expect(await changes()).toEqual([ofNews])
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    expect(await changes()).toEqual([])
  })

  test('shows a browser session its own changes under its contexts, and not the messages', async () => {
    await prefer({ categoryKey: 'news', enabled: false })
    await prefer({ contexts: [{ type: 'tenant', identifier: 'acme' }], enabled: false })
    const browser = await browserOf(world, acme, 'ada')
    await browser.act('updateSubscriberPreferences', { subscriberId: 'ada', enabled: false })
    const { session } = await browser.ask(`{ session { preferenceChanges { nodes { ${fields} } } } }`)
    expect(session.preferenceChanges.nodes).toEqual([{ ...change, source: 'SESSION' }, ofNews])
    const others = await browser.rest('GET /v2/subscribers/grace/preferences/changes')
    expect(others.status).toBe(403)
    const all = await browser.rest('GET /v2/subscribers/ada/preferences/changes?contextKeys=tenant:acme')
    expect(all.body).toMatchObject({ totalCount: 2 })
  })

  test('names the command line for a change by the operator', async () => {
    const operator = await operatorIn(world.gateway.db, await environmentIdOf(acme))
    const choice = { subscriberId: 'ada', enabled: false, context: undefined }
    await updateSubscriberPreferences(createScope(world.gateway, operator), choice)
    expect(await changes()).toEqual([{ ...change, source: 'COMMAND_LINE' }])
  })

  test('is a list at REST, and part of the export', async () => {
    await prefer({ categoryKey: 'news', enabled: false })
    const { body } = await acme.rest('GET /v2/subscribers/ada/preferences/changes?source=api')
    expect(body).toMatchObject({ data: [{ scope: 'category', categoryKey: 'news', enabled: false, source: 'api' }] })
    const { subscriberExport } = await acme.ask('{ subscriberExport(subscriberId: "ada") }')
    expect(subscriberExport).toMatchObject({ preferenceChanges: [{ scope: 'category', categoryKey: 'news' }] })
  })
})
