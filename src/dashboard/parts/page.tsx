// The frame of one page: its title, its parent list, its actions and its content.
import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

interface PageProps {
  /** The name of the page, for the browser and the breadcrumb. */
  readonly title: string
  /** Default: the title. A part that changes by itself, such as an age, belongs only here. */
  readonly heading?: string
  readonly description?: ReactNode
  /** The list that this page belongs to. */
  readonly parent?: { readonly label: string; readonly to: string }
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, heading = title, description, parent, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Notification gateway`)
  return (
    <Stack gap="md">
      {parent && (
        <Breadcrumbs component="nav" aria-label="Breadcrumb">
          <Anchor component={Link} to={parent.to} size="sm" truncate maw="60vw">
            {parent.label}
          </Anchor>
          <Text size="sm" c="dimmed" truncate maw="60vw">
            {title}
          </Text>
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start">
        <div style={{ minWidth: 0 }}>
          <Title order={1} size="h2" className="wrap-anywhere" tabIndex={-1}>
            {heading}
          </Title>
          {description !== undefined && (
            <Text component="div" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
