import { addNumbers } from '../tools/add-numbers.ts';
import { getTime } from '../tools/get-time.ts';
import { createGetWeather, type WeatherOptions } from '../tools/get-weather.ts';
import { type Agent, defineAgent } from './agent.ts';

const INSTRUCTIONS = `You are a friendly assistant. Use the tools for times, sums and the weather, never your memory.
Ask for everything that you need at once. When a tool fails, say so. Answer in short plain sentences.`;

/** The agent of the first run: time, sums and weather. */
export function demoAgent({ model, weather }: { readonly model: string; readonly weather: WeatherOptions }): Agent {
  return defineAgent({
    name: 'demo',
    instructions: INSTRUCTIONS,
    model,
    tools: [
      getTime,
      addNumbers,
      createGetWeather(weather),
      // Your own tool: one file in src/tools, imported above, and one line here.
    ],
  });
}
