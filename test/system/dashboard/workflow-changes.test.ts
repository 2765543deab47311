// Changes of workflows in the dashboard that concern others: two editors, and stopping.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

const createWorkflow = `mutation ($input: CreateWorkflowInput!) {
  createWorkflow(input: $input) { userErrors { message } }
}`

const shipped = { identifier: 'order-shipped', name: 'Order shipped' }

test.for([1440, 390])(
  'at %i pixels, two people edit a workflow, and the second sees both versions and chooses',
  async (width, { skip }) => {
    const { page, visit, ask } = await openStory(skip)
    await page.setViewportSize({ width, height: 900 })
    await ask(createWorkflow, { input: shipped })
    const rename = (name: string) =>
      ask(
        `mutation ($name: String!) {
        updateWorkflow(input: { identifier: "order-shipped", name: $name }) { userErrors { message } }
      }`,
        { name },
      )
    await visit('/workflows/order-shipped')
    await page.getByRole('tab', { name: 'Settings' }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    const conflict = page.getByRole('dialog', { name: 'Somebody else saved meanwhile' })
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click()
      await conflict.getByRole('row', { name: /^Name/ }).waitFor()
    }

    const done = await measureStory(page, 'two editors of one workflow')
    await name.fill('Mine')
    await rename('Theirs')
    await save()
    await conflict.getByText('Theirs', { exact: true }).waitFor()
    await conflict.getByRole('button', { name: 'Keep editing' }).click()
    await expect.poll(() => name.inputValue()).toBe('Mine')
    await save()
    await conflict.getByRole('button', { name: 'Load theirs' }).click()
    await expect.poll(() => name.inputValue()).toBe('Theirs')

    await name.fill('Mine')
    await rename('Theirs again')
    await save()
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByText('Workflow saved.').waitFor()
    await done()
    const stored = () => ask('{ workflow(identifier: "order-shipped") { name } }')
    await expect.poll(stored).toEqual({ workflow: { name: 'Mine' } })
  },
)

test('someone stops a workflow, and its runs are cancelled', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  const steps = [{ delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }]
  await ask(createWorkflow, { input: { ...shipped, steps: [...steps, { inApp: { stepId: 'late', body: 'Late' } }] } })
  await ask(`mutation {
    triggerEvent(input: { workflowIdentifier: "order-shipped", to: [{ subscriber: { subscriberId: "ada" } }] }) {
      userErrors { message }
    }
  }`)
  const runs = () => ask('{ workflowRuns { nodes { status } } }')
  await expect.poll(runs).toEqual({ workflowRuns: { nodes: [{ status: 'WAITING' }] } })
  await visit('/workflows/order-shipped')
  await page.getByRole('button', { name: 'Stop' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stop workflow order-shipped?' })
  await dialog.getByText('1 run that is not over').waitFor()
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Workflow stopped. 1 run cancelled.').waitFor()
  expect(await runs()).toEqual({ workflowRuns: { nodes: [{ status: 'CANCELLED' }] } })
  expect(await ask('{ workflow(identifier: "order-shipped") { active } }')).toEqual({ workflow: { active: false } })
})
