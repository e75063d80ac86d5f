// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {Base} from "../base/Base.sol";
import {WalletHandler} from "./WalletHandler.sol";

/// @dev Holds for one wallet after any sequence of the handler's actions:
/// 1. What a session has sent plus what it may still send plus its purchase allowance equals its limit, and its purchases
///    use at most the allowance.
/// 2. Only sends, purchases and withdrawals by the owner reduce the wallet's USDC.
/// 3. The wallet's allowance to any spender is zero.
/// 4. No nonce and no number of a purchase pays twice, and no signature of the owner or an operator works twice (checked in the handler).
/// 5. Key, budget, window and flags always equal the model's. So after a revoke, an expiry or a rotation, nothing that
///    the old key signed is accepted, and after `disableRotationAuthority` only the owner changes the session.
contract WalletInvariantTest is Base {
    WalletHandler private _handler;

    function setUp() public override {
        super.setUp();
        wallet = create("buyer", 50);
        mint(address(wallet), FUNDS);
        _handler = new WalletHandler(wallet, usdc, provider, LIMIT, 50);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_walletEqualsItsModel() public view {
        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.remaining, _handler.remaining(), "remaining");
        uint256 allowance = uint256(state.purchaseAllowance) * 1e6;
        vm.assertEq(state.remaining + _handler.sentThisSession() + allowance, _handler.limit(), "1: limit");
        vm.assertLe(_handler.boughtThisSession(), allowance, "1: purchases");
        uint256 gone = _handler.sent() + _handler.withdrawn() + _handler.bought();
        vm.assertEq(state.balance, _handler.deposits() - gone, "2: balance");
        vm.assertEq(usdc.allowance(address(wallet), address(_handler)), 0, "3: allowance");
        vm.assertEq(usdc.allowance(address(wallet), vm.addr(OPERATOR)), 0, "3: allowance");
        vm.assertEq(usdc.allowance(address(wallet), vm.addr(SESSION)), 0, "3: allowance");

        vm.assertEq(state.purchaseAllowance, _handler.allowance(), "allowance");
        vm.assertEq(state.epoch, _handler.epoch(), "epoch");
        vm.assertEq(state.sessionKey, _handler.key() == 0 ? address(0) : vm.addr(_handler.key()));
        vm.assertEq(state.validUntil, _handler.validUntil(), "validUntil");
        vm.assertEq(state.sessionRevoked, _handler.revoked(), "revoked");
        vm.assertEq(state.rotationDisabled, _handler.disabled(), "disabled");
        vm.assertEq(state.ownerNonce, _handler.ownerNonce(), "ownerNonce");
        vm.assertEq(state.top, _handler.top(), "top");
        uint256 granted = _handler.grantDay() == state.grantDay ? _handler.granted() : 0;
        vm.assertEq(state.grantedToday, granted, "granted");
        vm.assertEq(state.seen, _handler.seen(), "seen");
    }
}
