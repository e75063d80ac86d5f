// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Base} from "../base/Base.sol";
import {EscrowHandler} from "./EscrowHandler.sol";

/// @dev Holds for payouts after any sequence of the handler's actions:
/// 1. Money that funded a payout is with the claim's recipient, with the payer, or still in the payout.
/// 2. Each funding is paid once: of a claim and a reclaim of the same money, at most one succeeds (checked in the
///    handler).
/// 3. Whether a call succeeds depends only on signature, time and balance, as in the model (checked in the handler).
/// 4. The escrow contract never holds USDC.
contract EscrowInvariantTest is Base {
    EscrowHandler private _handler;

    function setUp() public override {
        super.setUp();
        _handler = new EscrowHandler(escrow, usdc);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_moneyIsClaimedReclaimedOrHeld() public view {
        uint256 claimed;
        for (uint256 i = 0; i < 3; ++i) {
            uint256 held = usdc.balanceOf(escrow.payoutAddress(_handler.terms(i)));
            vm.assertEq(held + _handler.claimed(i) + _handler.reclaimed(i), _handler.funded(i), "1: money is missing");
            vm.assertEq(usdc.balanceOf(_handler.terms(i).payer), _handler.reclaimed(i), "1: payer");
            claimed += _handler.claimed(i);
        }
        uint256 received = usdc.balanceOf(_handler.recipients(0)) + usdc.balanceOf(_handler.recipients(1));
        vm.assertEq(received, claimed, "1: recipients");
        vm.assertEq(usdc.balanceOf(address(escrow)), 0, "4: escrow holds money");
    }
}
