// A switch that shows the choice at once, while it is saved. Other switches can be used meanwhile.
import { Switch } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface PreferenceSwitchProps {
  readonly name: string
  /** A text below the name. Default: the name is not on the screen either. */
  readonly description?: ReactNode
  /** The saved choice. */
  readonly checked: boolean
  /** Saves a choice. @returns false if it failed */
  readonly onChange: (checked: boolean) => Promise<boolean>
}

export function PreferenceSwitch({ name, description, checked, onChange }: PreferenceSwitchProps) {
  const [saving, setSaving] = useState<{ readonly before: boolean }>()
  // It was saved and read again.
  if (saving !== undefined && saving.before !== checked) setSaving(undefined)
  const change = async (next: boolean) => {
    // Two requests might arrive in another order.
    if (saving !== undefined) return
    setSaving({ before: checked })
    if (!(await onChange(next))) setSaving(undefined)
  }
  return (
    <Switch
      {...(description === undefined ? { 'aria-label': name } : { label: name, description })}
      checked={saving === undefined ? checked : !saving.before}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  )
}
