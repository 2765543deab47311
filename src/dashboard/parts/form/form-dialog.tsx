// A dialog with a form. Asks before it closes with changes, however it is closed.
import { Button, Modal, type ModalProps } from '@mantine/core'
import { createContext, use, useRef, useState } from 'react'
import { Undo, useUndo } from '../undo.tsx'
import { DiscardQuestion } from './discard-question.tsx'
import { type Check, DialogChecks, isDialogDirty } from './unsaved.ts'

const DIALOG = '[role="dialog"]'

const CloseDialog = createContext<() => void>(() => {})

/** True if no other dialog is above the one that contains the element. The Escape key is meant for the topmost. */
const isTopmost = (inside: Element | null): boolean =>
  inside?.closest(DIALOG) === [...document.querySelectorAll(DIALOG)].at(-1)

interface FormDialogProps extends Omit<ModalProps, 'opened' | 'title'> {
  readonly title: string
}

/** `onClose` is called without a question by a form that has saved its changes. */
export function FormDialog({ onClose, children, ...modal }: FormDialogProps) {
  const [checks] = useState(() => new Set<Check>())
  const [asking, setAsking] = useState(false)
  const offerUndo = useUndo()
  const content = useRef<HTMLDivElement>(null)
  const close = () => {
    if (!isTopmost(content.current)) return
    if (isDialogDirty(checks)) setAsking(true)
    else onClose()
  }
  return (
    <Modal {...modal} opened onClose={close}>
      <div ref={content}>
        <DialogChecks value={checks}>
          <CloseDialog value={close}>
            <Undo value={offerUndo}>{children}</Undo>
          </CloseDialog>
        </DialogChecks>
      </div>
      {asking && (
        <DiscardQuestion onKeep={() => setAsking(false)} onDiscard={onClose}>
          What you entered is not saved.
        </DiscardQuestion>
      )}
    </Modal>
  )
}

/** The button that closes the dialog as its other controls do. */
export const CancelButton = () => (
  <Button variant="default" onClick={use(CloseDialog)}>
    Cancel
  </Button>
)
