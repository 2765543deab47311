// The list of suppressed addresses, to which nothing is sent.
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFileImport, IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Empty } from '../../parts/empty.tsx'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { TimeFilter, useTimeFilter } from '../../parts/filter/time-filter.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateSuppression } from './create-suppression.tsx'
import { addressChannelOptions, suppressionReasonOptions } from '../../parts/suppression-labels.ts'
import { SuppressionTable } from './suppression-table.tsx'

export function Component() {
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const [contextKeys] = useContextFilter()
  const { createdAfter, createdBefore } = useTimeFilter()
  const filter = {
    address: useFilterValue('address'),
    channels: useChoices('channel', addressChannelOptions),
    reasons: useChoices('reason', suppressionReasonOptions),
    contextKeys,
    createdAfter,
    createdBefore,
  }

  const actions = canWrite && (
    <Group gap="xs">
      <Button
        component={Link}
        to={paths.importSuppressions}
        variant="default"
        leftSection={<IconFileImport size={16} aria-hidden />}
      >
        Import
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Suppress an address
      </Button>
    </Group>
  )
  return (
    <Page
      title="Suppressions"
      description="Addresses to which nothing is sent, because a message bounced, the recipient complained, or you said so."
      actions={actions}
    >
      <Filters>
        <TextFilter label="Exact address" name="address" />
        <ChoicesFilter label="Channel" name="channel" options={addressChannelOptions} />
        <ChoicesFilter label="Reason" name="reason" options={suppressionReasonOptions} />
        <ContextFilter />
        <TimeFilter />
      </Filters>
      <SuppressionTable
        filter={filter}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No suppression matches">No suppressed address fits all filters.</NoMatch>
          ) : (
            <Empty title="No address is suppressed" action={actions}>
              Hard bounces and complaints that a provider reports suppress their addresses. You can also add addresses
              that you know, such as those of an earlier service.
            </Empty>
          )
        }
      />
      {creating && <CreateSuppression onClose={close} />}
    </Page>
  )
}
