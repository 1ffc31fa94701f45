import type { WeatherOptions } from '../tools/get-weather.ts';
import type { Agent } from './agent.ts';
import { demoAgent } from './demo.ts';

/** What the agents of this worker need from its configuration. */
export interface AgentsConfig {
  /** The model of agents that name none of their own. */
  readonly model: string;
  readonly weather: WeatherOptions;
}

/** The agents that this worker serves. */
export function agents(config: AgentsConfig): readonly Agent[] {
  return [
    demoAgent(config),
    // Your own agent: one file in src/agents, imported above, and one line here.
  ];
}
