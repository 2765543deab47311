// A secret that the graph returns: hidden until someone asks to see it.
import { ActionIcon, Code, Group, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { CopyText } from '../../parts/copyable.tsx'

export function SecretText({ value, label }: { readonly value: string; readonly label: string }) {
  const [shown, { toggle }] = useDisclosure(false)
  const action = shown ? `Hide ${label}` : `Show ${label}`
  return (
    <Group gap={4} wrap="nowrap">
      <Code className="wrap-anywhere">{shown ? value : '••••••••'}</Code>
      <Tooltip label={action}>
        <ActionIcon variant="subtle" color="gray" size="sm" onClick={toggle} aria-label={action}>
          {shown ? <IconEyeOff size={14} aria-hidden /> : <IconEye size={14} aria-hidden />}
        </ActionIcon>
      </Tooltip>
      <CopyText value={value} label={label} />
    </Group>
  )
}
