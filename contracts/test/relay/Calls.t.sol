// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {AgentWalletFactory} from "../../src/AgentWalletFactory.sol";
import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {Relay} from "../../src/Relay.sol";
import {CallRecorder, DataBomb, GasBurner, GasRecorder} from "../mocks/Hostile.sol";
import {RelayTest} from "./RelayTest.sol";

contract CallsTest is RelayTest {
    uint256 private constant CAP = 300_000;
    uint256 private constant OVERHEAD = 6_000;

    function _claimCall(PayoutEscrow.Terms memory terms, address to) private view returns (Relay.Call memory) {
        bytes32 id = escrow.payoutId(terms);
        (bytes32 r, bytes32 vs) = signClaim(CLAIM, address(escrow), id, to, terms.amount, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (terms, to, terms.amount, DEADLINE, r, vs));
        return Relay.Call(address(escrow), CAP, data);
    }

    function _sendCall(AgentWallet target, uint32 sequence) private view returns (Relay.Call memory) {
        uint64 nonce = nonceOf(1, sequence);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(target), RECIPIENT, 10, nonce, DEADLINE);
        return
            Relay.Call(address(target), CAP, abi.encodeCall(AgentWallet.send, (RECIPIENT, 10, nonce, DEADLINE, r, vs)));
    }

    /// @dev Deployment, first send and announcement in one transaction.
    function test_calls_deployAndFirstSend() public {
        address owner = vm.addr(OWNER);
        address key = vm.addr(SESSION);
        address predicted = factory.walletAddress(owner, "lazy", key, LIMIT, 0, VALID_UNTIL);
        mint(predicted, 100);
        Relay.Call[] memory list = new Relay.Call[](3);
        bytes memory deployment =
            abi.encodeCall(AgentWalletFactory.createWallet, (owner, "lazy", key, LIMIT, 0, VALID_UNTIL));
        list[0] = Relay.Call(address(factory), CAP, deployment);
        list[1] = _sendCall(AgentWallet(predicted), 0);
        list[2] = Relay.Call(address(escrow), CAP, abi.encodeCall(PayoutEscrow.announce, (someTerms())));
        vm.assertEq(relay.calls(list), 0);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 10);
    }

    function testFuzz_calls_executesEveryGoodItem_besideBadOnes(uint256 seed, uint8 size) public {
        uint256 count = bound(size, 1, 16);
        Relay.Call[] memory list = new Relay.Call[](count);
        uint256 expected;
        for (uint32 i = 0; i < count; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            list[i] = _sendCall(wallet, i);
            uint256 kind = (seed >> 8) % 5;
            if (seed % 3 != 0) continue;
            expected |= 1 << i;
            if (kind == 0) list[i].target = address(0xc0de1e55);
            else if (kind == 1) list[i].target = address(new GasBurner());
            else if (kind == 2) list[i].target = address(new DataBomb(true));
            else if (kind == 3) list[i].gasCap = 5_000;
            else list[i].data = hex"12345678";
        }
        vm.assertEq(relay.calls(list), expected);
        uint256 failures;
        for (uint256 i = 0; i < count; ++i) {
            failures += (expected >> i) & 1;
        }
        vm.assertEq(usdc.balanceOf(RECIPIENT), (count - failures) * 10);
    }

    function testFuzz_calls_forwardTheData(bytes calldata data) public {
        CallRecorder recorder = new CallRecorder();
        vm.assume(bytes4(data) != recorder.dataHash.selector);
        Relay.Call[] memory list = new Relay.Call[](1);
        list[0] = Relay.Call(address(recorder), CAP, data);
        vm.assertEq(relay.calls(list), 0);
        vm.assertEq(recorder.dataHash(), keccak256(data));
    }

    function test_calls_payOnce_forAClaimAndAReclaimOfOnePayout() public {
        PayoutEscrow.Terms memory terms = someTerms();
        mint(escrow.payoutAddress(terms), terms.amount);
        (bytes32 r, bytes32 vs) = signReclaim(RECLAIM, address(escrow), escrow.payoutId(terms), terms.amount, DEADLINE);
        Relay.Call[] memory list = new Relay.Call[](3);
        list[0] = _claimCall(terms, RECIPIENT);
        list[1] = Relay.Call(
            address(escrow), CAP, abi.encodeCall(PayoutEscrow.reclaim, (terms, terms.amount, DEADLINE, r, vs))
        );
        list[2] = _claimCall(terms, STRANGER);
        vm.assertEq(relay.calls(list), 6);
        vm.assertEq(usdc.balanceOf(RECIPIENT), terms.amount);
        vm.assertEq(usdc.balanceOf(STRANGER), 0);
        vm.assertEq(usdc.balanceOf(address(wallet)), FUNDS);
    }

    function test_calls_emitsItemFailed() public {
        Relay.Call[] memory list = new Relay.Call[](2);
        list[0] = _sendCall(wallet, 0);
        list[1] = _sendCall(wallet, 0);
        vm.expectEmit(address(relay));
        emit Relay.ItemFailed(1);
        vm.assertEq(relay.calls(list), 2);
    }

    function test_calls_acceptsAnEmptyList() public {
        vm.assertEq(relay.calls(new Relay.Call[](0)), 0);
    }

    function test_calls_reverts_above256Items() public {
        vm.expectRevert(abi.encodeWithSelector(Relay.TooManyItems.selector, 257, 256));
        relay.calls(new Relay.Call[](257));
    }

    function test_calls_accepts256Items() public {
        vm.assertEq(relay.calls(new Relay.Call[](256)), type(uint256).max);
    }

    function test_calls_reverts_whenTheGasDoesNotCoverAllCaps() public {
        Relay.Call[] memory list = new Relay.Call[](2);
        list[0] = _sendCall(wallet, 0);
        list[1] = _sendCall(wallet, 1);
        list[1].gasCap = CAP / 2;
        uint256 needed = CAP + CAP / 2 + CAP + 3 * OVERHEAD + list[0].data.length + list[1].data.length;
        vm.assertEq(callWithLeastGas(abi.encodeCall(Relay.calls, (list)), needed), 0);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 20);
    }

    function test_calls_reverts_whenTheCapsOverflow() public {
        Relay.Call[] memory list = new Relay.Call[](2);
        list[0] = _sendCall(wallet, 0);
        list[0].gasCap = type(uint256).max;
        list[1] = list[0];
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        relay.calls(list);
    }

    function testFuzz_calls_givesTheLastItemItsCap_afterItemsThatBurnTheirs(uint8 size, uint256 gasCap) public {
        uint256 burners = bound(size, 0, 20);
        gasCap = bound(gasCap, 50_000, 500_000);
        address burner = address(new GasBurner());
        GasRecorder last = new GasRecorder();
        Relay.Call[] memory list = new Relay.Call[](burners + 1);
        for (uint256 i = 0; i < burners; ++i) {
            list[i] = Relay.Call(burner, gasCap, new bytes(196));
        }
        list[burners] = Relay.Call(address(last), gasCap, new bytes(196));
        uint256 needed = (burners + 2) * (gasCap + OVERHEAD) + (burners + 1) * 196;
        vm.assertEq(callWithLeastGas(abi.encodeCall(Relay.calls, (list)), needed), (1 << burners) - 1);
        // The recorder uses some gas before it reads gasleft().
        vm.assertGe(last.received(), gasCap - 200);
    }
}
