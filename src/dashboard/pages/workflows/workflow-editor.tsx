// The editor of a workflow: steps with a preview beside them, settings, and recent runs.
import { Alert, Grid, Group, Tabs } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { Copyable } from '../../parts/copyable.tsx'
import { useTab } from '../../parts/filter/tab.ts'
import { FormProblems } from '../../parts/form/form-problems.tsx'
import { useUnsaved } from '../../parts/form/unsaved.ts'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { PauseBanner } from '../../parts/paused.tsx'
import { Undo, useUndo } from '../../parts/undo.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { variablesOf } from './payload-schema.ts'
import { PreviewPanel } from './preview/preview-panel.tsx'
import { usePreviewedTrigger } from './preview/previewed-trigger.ts'
import { useSamplePayloads } from './sample-payload.ts'
import { RestoredDraft } from './restored-draft.tsx'
import { StepList } from './steps/step-list.tsx'
import { TriggerDialog } from './trigger-dialog.tsx'
import { WorkflowActions } from './workflow-actions.tsx'
import { DraftErrors, useCheckedDraft } from './draft/checked-draft.ts'
import { WorkflowConsent } from './workflow-consent.tsx'
import { WorkflowConflict } from './workflow-conflict.tsx'
import { useWorkflowForm } from './workflow-form.ts'
import { WorkflowRuns } from './workflow-runs.tsx'
import { WorkflowSettings } from './workflow-settings.tsx'
import { WorkflowState } from './workflow-state.tsx'
import type { Workflow } from './draft/workflow-values.ts'

/** Fields whose changes a preview cannot show before they are saved. */
const savedOnly = [
  'name',
  'critical',
  'severity',
  'tags',
  'channelsOff',
  'categoryKey',
  'unsubscribe',
  'validatePayload',
] as const

export function WorkflowEditor({ workflow }: { readonly workflow: Workflow }) {
  const { identifier, suspension, pause } = workflow
  const [tab, showTab] = useTab(['steps', 'settings', 'runs'])
  const [opened, setOpened] = useState<string[]>([])
  const [isTriggering, triggering] = useDisclosure(false)
  const canWrite = useCanWrite()

  const { form, general, save, saving, conflict, loadTheirs, keepEditing, keepInactive, restored, forget } =
    useWorkflowForm(workflow)
  /** Shows the fields with errors. */
  const saveAndShow = async (expectedVersion?: number) => {
    const found = Object.keys(await save(expectedVersion))
    const positions = found.flatMap((path) => /^steps\.(\d+)\./.exec(path)?.[1] ?? [])
    const uids = positions.flatMap((position) => form.getValues().steps[Number(position)]?.uid ?? [])
    setOpened((current) => [...new Set([...current, ...uids])])
    if (found.length > 0) showTab(positions.length > 0 ? 'steps' : 'settings')
  }
  useUnsaved(form.isDirty, forget)
  const offerUndo = useUndo()
  const dirty = form.isDirty()
  useHotkeys([['mod+S', () => canWrite && void saveAndShow()]], [], true)

  const { payloadSchema, name } = form.values
  const variables = useMemo(() => variablesOf(payloadSchema), [payloadSchema])
  const checked = useCheckedDraft(form.values)
  const samples = useSamplePayloads(identifier, payloadSchema.trim(), form.values.steps)
  const samplePayload = (payloadSchema.trim() === '' ? samples.last : undefined) ?? samples.variables
  const previewed = usePreviewedTrigger()
  const errors = Object.keys(form.errors).length
  return (
    <Page
      title={name === '' ? identifier : name}
      description={
        <Group gap="xs">
          <Copyable value={identifier} label="identifier" />
          <WorkflowState workflow={workflow} />
          <WorkflowConsent workflow={workflow} />
        </Group>
      }
      parent={{ label: 'Workflows', to: paths.workflows }}
      actions={
        canWrite && (
          <WorkflowActions
            workflow={workflow}
            dirty={dirty}
            saving={saving}
            onSave={() => saveAndShow()}
            onTrigger={triggering.open}
            onInactive={keepInactive}
            onDelete={() => {
              form.resetDirty()
              forget()
            }}
          />
        )
      }
    >
      {isTriggering && (
        <TriggerDialog
          identifier={identifier}
          samples={samples}
          previewed={{ ...previewed.trigger, payload: previewed.trigger.payload ?? samplePayload }}
          dirty={dirty}
          onClose={triggering.close}
        />
      )}
      {conflict && (
        <WorkflowConflict
          theirs={conflict}
          mine={form.values}
          pending={saving}
          onLoad={() => loadTheirs(conflict)}
          onOverwrite={() => void saveAndShow(conflict.version)}
          onClose={keepEditing}
        />
      )}
      {restored && <RestoredDraft at={restored.at} onDiscard={() => loadTheirs(workflow)} />}
      {suspension && (
        <Alert color="red" title="Suspended">
          {suspension.reason} Since <Moment at={suspension.since} />, its events fail. Correct the workflow and save it:
          it then runs again.
        </Alert>
      )}
      {pause && <PauseBanner pause={pause}>Its runs and messages wait until it is resumed.</PauseBanner>}
      {errors > 0 && (
        <Alert color="red" role="alert" title="Not saved">
          {errors === 1 ? 'One field has an error.' : `${errors} fields have errors.`} Each error is shown at its field.
        </Alert>
      )}
      <FormProblems problems={general} />
      <DraftErrors value={checked.errors}>
        <Tabs value={tab} onChange={showTab} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="steps">Steps</Tabs.Tab>
            <Tabs.Tab value="settings">Settings</Tabs.Tab>
            <Tabs.Tab value="runs">Recent runs</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="steps">
            <Grid gap="md">
              <Grid.Col span={{ base: 12, lg: 7 }}>
                <Undo value={offerUndo}>
                  <StepList form={form} variables={variables} opened={opened} onOpen={setOpened} />
                </Undo>
              </Grid.Col>
              <Grid.Col span={{ base: 12, lg: 5 }}>
                <PreviewPanel
                  previewed={previewed}
                  identifier={identifier}
                  samplePayload={samplePayload}
                  steps={form.values.steps}
                  checked={checked}
                  hasOtherChanges={savedOnly.some((name) => form.isDirty(name))}
                />
              </Grid.Col>
            </Grid>
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <WorkflowSettings form={form} />
          </Tabs.Panel>
          <Tabs.Panel value="runs">
            <WorkflowRuns identifier={identifier} onTrigger={triggering.open} />
          </Tabs.Panel>
        </Tabs>
      </DraftErrors>
    </Page>
  )
}
