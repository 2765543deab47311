// Keeps the unsaved changes of a workflow while it is edited, and restores them after a reload.
import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { useCanWrite, useSession } from '../../../session/session-context.ts'
import { forgetDraft, keepDraft, type KeptDraft, keptDraft } from './kept-draft.ts'
import type { WorkflowValues } from './workflow-values.ts'

interface Restoration {
  /** The draft that was restored, until it is saved or discarded. */
  readonly restored: KeptDraft | null
  /** Call after the changes were saved, discarded or replaced. */
  readonly forget: () => void
}

/** Returns the draft that the tab has kept. Others may have changed the workflow since. */
export function useFoundDraft(workflowId: string, stored: WorkflowValues): KeptDraft | null {
  const { environmentId } = useSession()
  const canWrite = useCanWrite()
  const [found] = useState(() => (canWrite ? keptDraft(environmentId, workflowId, stored) : null))
  return found
}

/** @param version the version that the changes in the form are based on */
export function useKeptDraft(
  form: UseFormReturnType<WorkflowValues>,
  workflowId: string,
  version: number,
  found: KeptDraft | null,
): Restoration {
  const { environmentId } = useSession()
  const [restored, setRestored] = useState(found)
  /** What the form showed when it was last kept. */
  const kept = useRef(found?.values)
  const { values, setValues, isDirty, getValues } = form
  useEffect(() => {
    if (found !== null) setValues(found.values)
  }, [found, setValues])
  // After the effect that restores, so that a restored draft is not taken for a form without changes.
  useEffect(() => {
    const now = getValues()
    if (!isDirty()) {
      forgetDraft(environmentId, workflowId)
      kept.current = undefined
    } else if (JSON.stringify(now) !== JSON.stringify(kept.current)) {
      keepDraft(environmentId, workflowId, { at: new Date().toISOString(), version, values: now })
      kept.current = now
    }
  }, [values, version, environmentId, workflowId, isDirty, getValues])
  return {
    restored,
    forget: () => {
      forgetDraft(environmentId, workflowId)
      kept.current = undefined
      setRestored(null)
    },
  }
}
