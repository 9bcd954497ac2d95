/* Samples of a converter are sorted into a histogram; an interrupt says that one is there. */
#include <stdint.h>

typedef struct {
    volatile uint32_t control;
    volatile uint32_t status;
    volatile uint32_t data;
} adc_registers;

#define ADC ((adc_registers *)0x40012000u)
#define ENABLE 1u
#define OVERRUN 2u
#define BITS 12

static volatile uint8_t arrived; /* set by the interrupt */
static uint32_t histogram[64];
static uint32_t lost;

static uint32_t next_sample(void) {
    while (!arrived) {
    }
    arrived = 0;
    if (ADC->status & OVERRUN)
        lost++;
#ifdef BUG
    return ADC->data;
#else
    return ADC->data & ((1u << BITS) - 1u);
#endif
}

int main(void) {
    ADC->control = ENABLE;
    for (int round = 0; round < 1000; round++)
        histogram[next_sample() >> 6]++;
    ADC->control = 0;
    return lost != 0;
}
