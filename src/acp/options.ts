import { MODES } from "../instructions/modes.ts"
import type { Mode, Policy } from "../permission/policy.ts"
import { type Dials, effortOf, type ModelChoice } from "../session/dials.ts"

export const POLICIES: readonly { value: Policy; name: string; description: string }[] = [
  { value: "read_only", name: "Read only", description: "Looks, and changes nothing" },
  { value: "default", name: "Ask first", description: "Asks before edits and commands" },
  { value: "auto_edit", name: "Edit freely", description: "Edits without asking; asks before commands" },
  { value: "yolo", name: "Full access", description: "Asks before nothing but keys and secrets" },
]

/** The complete list, always in this order. */
export function configOptions(dials: Dials, models: readonly ModelChoice[]): object[] {
  const model = models.find(({ modelId }) => modelId === dials.model)
  return [
    select("models", "Model", "model", dials.model, models.map(modelValue)),
    select("access_policy", "Access", "_access_policy", dials.policy, POLICIES),
    select("mode", "Mode", "mode", dials.mode, MODES.map(modeValue)),
    ...(model?.reasoning ? [effortOption(model.reasoning.supportedEfforts, effortOf(dials, model) as string)] : []),
  ]
}

function effortOption(efforts: readonly string[], current: string): object {
  const values = efforts.map((value) => ({ value, name: value[0]?.toUpperCase() + value.slice(1) }))
  return select("reasoning_effort", "Reasoning effort", "thought_level", current, values)
}

function modelValue({ modelId, name, description }: ModelChoice): object {
  return { value: modelId, name, ...(description && { description }) }
}

function modeValue({ id, name, description }: (typeof MODES)[number]): object {
  return { value: id, name, description }
}

function select(id: string, name: string, category: string, currentValue: string, options: readonly object[]): object {
  return { id, name, category, type: "select", currentValue, options }
}

export function modesState(mode: Mode): object {
  const availableModes = MODES.map(({ id, name, description }) => ({ id, name, description }))
  return { currentModeId: mode, availableModes }
}

/** The models block of Koda's wire. */
export function modelsState(dials: Dials, models: readonly ModelChoice[]): object {
  const availableModels = models.map((model) => {
    const { modelId, name, description, imageSupport, reasoning } = model
    const choice = { modelId, name, description, imageSupport }
    return reasoning ? { ...choice, reasoning: { ...reasoning, currentEffort: effortOf(dials, model) } } : choice
  })
  return { currentModelId: dials.model, availableModels }
}
