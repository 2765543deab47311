// The filters of the list of messages, kept in the address.
import { channelLabels } from '../../parts/channel-labels.ts'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { IntegrationFilter } from '../../parts/filter/integration-filter.tsx'
import { optionsOf } from '../../parts/options.ts'
import { receiptLabels } from '../../parts/badge/receipt-badge.tsx'
import { deliveryStatusLabels } from '../../parts/badge/status-badge.tsx'
import { SubscriberFilter } from '../../parts/filter/subscriber-filter.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { TimeFilter, useTimeFilter } from '../../parts/filter/time-filter.tsx'
import { useChosenWorkflows, WorkflowFilter } from '../../parts/filter/workflow-filter.tsx'

const statusOptions = optionsOf(deliveryStatusLabels)
const receiptOptions = optionsOf(receiptLabels)
/** In-app steps are left out: they add to the feed and send no message. */
const channelOptions = optionsOf(channelLabels).filter(({ value }) => value !== 'IN_APP')

function useStepFilter(): string[] | null {
  const step = useFilterValue('step')
  return step === null ? null : [step]
}

/** Returns the filter in the address. */
export const useDeliveryFilter = () => ({
  contextKeys: useContextFilter()[0],
  statuses: useChoices('status', statusOptions),
  receipts: useChoices('receipt', receiptOptions),
  channels: useChoices('channel', channelOptions),
  subscriberId: useFilterValue('subscriber'),
  transactionId: useFilterValue('transaction'),
  workflowIdentifiers: useChosenWorkflows(),
  stepIds: useStepFilter(),
  integrationIdentifier: useFilterValue('integration'),
  ...useTimeFilter(),
})

export const DeliveryFilters = () => (
  <Filters>
    <ChoicesFilter label="Status" name="status" options={statusOptions} />
    <ChoicesFilter label="Receipt" name="receipt" options={receiptOptions} />
    <ChoicesFilter label="Channel" name="channel" options={channelOptions} />
    <SubscriberFilter />
    <TextFilter label="Transaction id" name="transaction" />
    <WorkflowFilter />
    <TextFilter label="Step id" name="step" />
    <IntegrationFilter />
    <ContextFilter />
    <TimeFilter />
  </Filters>
)
