// The signing secret of a webhook subscription, after it was created or replaced.
import { ShownOnce } from '../../parts/form/shown-once.tsx'

interface NewSecretProps {
  readonly title: string
  readonly secret: string
  readonly onDone: () => void
}

export const NewSecret = ({ title, secret, onDone }: NewSecretProps) => (
  <ShownOnce
    title={title}
    label="Signing secret"
    copyLabel="Copy secret"
    value={secret}
    warning="Copy the secret now. It cannot be read again. The receiver verifies the signature of each request with it. If it is lost, rotate it."
    onDone={onDone}
  />
)
